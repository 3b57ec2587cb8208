// SPDX-License-Identifier: Apache-2.0

import CDBus
import TestSupport
import Testing

@testable import DBus

@Suite("Drafts: listd's own marshalling, compared with libdbus")
@DBusActor
struct DraftTests {
    /// Marshals a message twice: with a draft, and with libdbus' iterators.
    private func marshalBoth(_ values: [DBusValue]) throws -> (own: [UInt8], libdbus: [UInt8]) {
        let header = MessageHeader(
            .methodCall, path: "/org/example/Test", interface: "org.example.Test", member: "Test",
            destination: "org.example.Other", flags: .noAutoStart)
        let signature = Signature.types(of: values.map(\.signature.text).joined())
        let write = { (writer: inout MessageWriter) throws(DBus.DBusError) in
            for value in values { value.append(to: &writer) }
        }
        let draft = MessageDraft(header)
        #expect(try draft.write(signature, limit: 1 << 20, write) > 0)
        let own = try unsafe draft.makeMessage()
        defer { unsafe dbus_message_unref(own) }
        let head = try unsafe MessageDraft(header).makeMessage()
        defer { unsafe dbus_message_unref(head) }
        try unsafe DescriptorBodyWriter(descriptors: [])
            .append(WrittenBody(signature, write).bytes, of: signature, to: head)
        return unsafe (bytes(own), bytes(head))
    }

    private func bytes(_ message: OpaquePointer) -> [UInt8] {
        var (start, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        guard unsafe dbus_message_marshal(message, &start, &count) != 0 else { return [] }
        defer { unsafe dbus_free(start) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    @Test("a draft encodes random values of random types → its bytes equal those of libdbus, including the header")
    func sameBytes() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<1000 {
            let values = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                random.value(of: .types(of: random.signature(depth: 3)))
            }
            let (own, libdbus) = try marshalBoth(values)
            #expect(!own.isEmpty && own == libdbus, "\(values)")
        }
    }

    @Test("a draft becomes a libdbus message → the header fields stay the same")
    func accessors() throws {
        let message = try Message.methodCall(
            to: "org.example.Other", path: "/a/b", interface: "org.example.Test", member: "Test")
        try message.setAutoStart(false)
        try message.setAllowInteractiveAuthorization(true)
        try message.setNoReplyExpected(true)
        try message.setSender(":1.7")
        try message.write("text", 5 as UInt32)
        let before = headerTexts(of: message)
        _ = try message.values()  // turns the draft into a libdbus message
        #expect(headerTexts(of: message) == before)
        #expect(message.serial == 0 && message.bodySize == 16)
        try message.setDestination("org.example.Third")
        try message.setAutoStart(true)
        #expect(message.destination == "org.example.Third" && message.autoStart)
    }

    private func headerTexts(of message: Message) -> [String?] {
        [
            message.kind.map { "\($0)" }, message.destination, message.sender, message.path?.text, message.interface,
            message.member, message.errorName, message.signature.text, "\(message.replySerial)",
            "\(message.noReplyExpected) \(message.autoStart) \(message.allowInteractiveAuthorization)",
        ]
    }

    @Test(
        "a variant's signature is not a single complete type → writing the variant throws an error",
        arguments: ["", "ss", "a", "{sv}", "!"])
    func variantTypes(text: String) throws {
        let message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        #expect(throws: DBusError.self) {
            try message.write("v") { writer in
                writer.variant(type: text.utf8Span.span) { $0.append("x") }
            }
        }
    }

    @Test("a variant's type is given as text bytes → the variant is read with that type", arguments: ["s", "as", "v"])
    func typesAsBytes(text: String) throws {
        let value: DBusValue =
            switch text {
            case "s": .string("x")
            case "as": .array(element: "s", [.string("x")])
            default: .variant(.string("x"))
            }
        let message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try message.write("v") { writer in
            writer.variant(type: text.utf8Span.span) { value.append(to: &$0) }
        }
        #expect(try message.values() == [.variant(value)])
    }

    @Test(
        "a draft has values that D-Bus does not allow → it cannot become a libdbus message",
        arguments: [false, true])
    func impossibleValues(hasDescriptor: Bool) throws {
        let nested = (0..<40).reduce(DBusValue.string("x")) { inner, _ in .array(element: inner.signature, [inner]) }
        let many = DBusValue.structure((0..<300).map { .byte(UInt8($0 % 256)) })
        for value in [.structure([]), nested, many] {
            let message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
            #expect(throws: DBusError.self, "\(value.signature)") {
                try message.write(values: [.variant(value)] + (hasDescriptor ? [descriptor()] : []))
                _ = try message.values()
            }
        }
    }

    @Test("a body has empty text, other text and a descriptor → the texts are read unchanged")
    func textBesideDescriptors() throws {
        let message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        let values: [DBusValue] = [.string(""), .signature(.empty), .array(element: "s", [.string(""), .string("x")])]
        try message.write(values: values + [descriptor()])
        #expect(try Array(message.values().dropLast()) == values)
    }

    private func descriptor() throws -> DBusValue { .fileDescriptor(try FileDescriptor(duplicating: 0)) }
}
