// SPDX-License-Identifier: Apache-2.0

import CDBus
import Foundation
import TestSupport
import Testing

@testable import DBus

@Suite("Counting the bytes of a message")
@DBusActor
struct MessageSizeTests {
    private func call(_ signature: Signature, _ values: [DBusValue]) throws -> Message {
        let message = try Message.methodCall(
            to: "org.example.Other", path: "/org/example/Test", interface: "org.example.Test", member: "Test")
        if !values.isEmpty { try message.write(values: values) }
        #expect(message.signature == signature)
        _ = try unsafe message.raw
        return message
    }

    private func marshalledSize(_ message: Message) throws -> Int { try unsafe MarshalledMessage(message.raw).count }

    @Test("messages have random or empty bodies → their counted bytes equal the bytes that libdbus marshals")
    func marshalled() throws {
        var random = SeededRandom(seed: 21)
        for count in 0..<1000 {
            let values = (0..<count % 6).map { _ in random.value(of: .types(of: random.signature(depth: 3))) }
            let message = try call(.types(of: values.map(\.signature.text).joined()), values)
            #expect(try message.size == marshalledSize(message), "\(message.signature)")
        }
    }

    @Test("replies, errors and signals have senders, descriptors or long paths → the byte count equals that of libdbus")
    func kinds() throws {
        let signal = try Message.signal(
            path: try ObjectPath("/" + String(repeating: "a", count: 5000)), interface: "org.example.Test",
            member: "Test")
        try signal.write(try FileDescriptor(duplicating: 0), "text")
        let call = try call("s", [.string("x")])
        try unsafe dbus_message_set_serial(call.raw, 7)
        try unsafe dbus_message_set_sender(call.raw, ":1.200")
        for message in [signal, call, try call.methodReturn(), try call.errorReply(.failed("no"))] {
            _ = try unsafe message.raw
            #expect(try message.size == marshalledSize(message))
        }
    }

    /// The element types of the arrays that fill a body of 16 MiB.
    private nonisolated static let large = ["as", "v"]

    @Test("the bytes of a 16 MiB body are counted → no memory is allocated", arguments: large)
    func memory(type: String) throws {
        let text = DBusValue.string(String(repeating: "x", count: 1 << 20))
        let texts = DBusValue.array(element: "s", Array(repeating: text, count: 16))
        let message = try call(.types(of: type), [type == "v" ? .variant(texts) : texts])
        let before = try residentBytes()
        #expect(message.size > 16 << 20)
        #expect(try residentBytes() < before + (8 << 20))
        withExtendedLifetime(message) {}
    }

    /// Returns the resident memory of this process, after free memory was returned to the system.
    private func residentBytes() throws -> Int {
        let trim = unsafe dlsym(nil, "malloc_trim")
        if let trim = unsafe trim { _ = unsafe unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0) }
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return try #require(Int(pages)) * Int(getpagesize())
    }
}
