// SPDX-License-Identifier: Apache-2.0

import CDBus
import TestSupport
import Testing

import struct DBus.DBusError

@testable import DBus

@Suite("Messages whose file descriptors are missing")
@DBusActor
struct MissingDescriptorTests {
    /// Returns a message that has no descriptors, but an argument of type `h` with the index `number`.
    private func message(naming number: UInt32) throws -> Message {
        var original = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try original.write(number)
        let form = try LibdbusMessage(encoding: original)
        unsafe dbus_message_set_serial(form.raw, 1)
        var (start, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        try #require(unsafe dbus_message_marshal(form.raw, &start, &count) != 0)
        defer { unsafe dbus_free(start) }
        var bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
        // Replaces the single type in the header field SIGNATURE by another type of the same size.
        let field: [UInt8] = [8, 1, 0x67, 0, 1, 0x75, 0]
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: field) })
        bytes[place + 5] = 0x68
        let made = unsafe bytes.withUnsafeBytes { bytes in
            unsafe dbus_message_demarshal(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
        }
        return try unsafe LibdbusMessage(adopting: try #require(unsafe made)).read()
    }

    @Test(
        "an argument refers to a descriptor, but the message has none → InvalidArgs that names the index",
        arguments: [0, 1, UInt32.max])
    func missing(number: UInt32) throws {
        let message = try message(naming: number)
        let error = try #require(throws: DBusError.self) { try message.decode(as: FileDescriptor.self) }
        #expect(error.standard == .invalidArgs)
        #expect(error.message.contains("descriptor \(number)"))
    }

    @Test("descriptors arrive between other arguments → each is read; one inside of a container → InvalidArgs")
    func places() throws {
        let directory = TemporaryDirectory()
        let files = try (0..<3).map { try OpenFile.create("\(directory.path)/\($0)", contents: "\($0)") }
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try message.write("text", files[0], [files[1]], [UInt8](), files[2])
        let read = try LibdbusMessage(encoding: message).read()
        let error = try #require(throws: DBusError.self) {
            try read.decode(
                as: String.self, FileDescriptor.self, [FileDescriptor].self, [UInt8].self, FileDescriptor.self)
        }
        #expect(error.standard == .invalidArgs && error.message.contains("descriptor 1"))
        try read.read { (reader) throws(DBusError) in
            reader.skip()
            let first = try reader.readFileDescriptor()
            reader.skip()
            reader.skip()
            let last = try reader.readFileDescriptor()
            #expect(OpenFile.contents(first) == "0" && OpenFile.contents(last) == "2")
        }
    }

    @Test("a bus describes a peer with a descriptor, as dbus 1.16 does → the user and the process are known")
    func credentials() throws {
        let directory = TemporaryDirectory()
        let process = try OpenFile.create("\(directory.path)/process", contents: "")
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try message.write([
            "ProcessFD": DBusValue.fileDescriptor(process), "UnixUserID": .uint32(1000), "ProcessID": .uint32(7),
            "UnixGroupIDs": .array(element: "u", [.uint32(1000)]),
        ])
        #expect(
            Credentials(answer: try LibdbusMessage(encoding: message).read()) == Credentials(userID: 1000, processID: 7)
        )
        var other = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try other.write(["ProcessID": DBusValue.uint32(7)])
        #expect(Credentials(answer: other) == nil)
    }
}
