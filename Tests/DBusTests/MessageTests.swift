// SPDX-License-Identifier: Apache-2.0

import CDBus
import TestSupport
import Testing

@testable import DBus

@Suite("Messages: listd's own marshalling, compared with libdbus")
@DBusActor
struct MessageTests {
    private func marshal(_ message: LibdbusMessage) -> [UInt8] {
        var (start, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
        guard unsafe dbus_message_marshal(message.raw, &start, &count) != 0 else { return [] }
        defer { unsafe dbus_free(start) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    @Test("random values of random types are written → the bytes equal those of libdbus, including the header")
    func sameBytes() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<1000 {
            let values = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                random.value(of: .types(of: random.signature(depth: 3)))
            }
            var message = try Message.methodCall(
                to: "org.example.Other", path: "/org/example/Test", interface: "org.example.Test", member: "Test")
            message.autoStart = false
            let copy = try LibdbusMessage(encoding: message)
            try message.write(values: values)
            let own = try LibdbusMessage(encoding: message)
            var (source, target) = unsafe (DBusMessageIter(), DBusMessageIter())
            var number: UInt32 = 0
            unsafe dbus_message_iter_init(own.raw, &source)
            unsafe dbus_message_iter_init_append(copy.raw, &target)
            #expect(unsafe LibdbusMessage.append(&source, to: &target, [:], &number))
            #expect(!marshal(own).isEmpty && marshal(own) == marshal(copy), "\(values)")
        }
    }

    @Test("a message is encoded and read again → the header and the body stay the same")
    func accessors() throws {
        var message = try Message.methodCall(
            to: "org.example.Other", path: "/a/b", interface: "org.example.Test", member: "Test")
        message.autoStart = false
        message.allowInteractiveAuthorization = true
        message.noReplyExpected = true
        message.sender = ":1.7"
        try message.write("text", 5 as UInt32)
        let read = try LibdbusMessage(encoding: message).read()
        #expect(headerTexts(of: read) == headerTexts(of: message))
        #expect(try read.values() == message.values())
        #expect(read.serial == 0 && read.bodySize == 16 && message.bodySize == 16 && read.size > 100)
        try message.setDestination("org.example.Third")
        message.autoStart = true
        #expect(message.destination == "org.example.Third" && message.autoStart)
    }

    @Test(
        "an answer has one number, nothing, or other values → it arrives as it was written",
        arguments: [
            nil, .byte(7), .boolean(true), .int16(-2), .uint16(2), .int32(-3), .uint32(3), .int64(-4), .uint64(4),
            .double(0.5), .string("text"), .array(element: "t", [.uint64(1)]),
        ] as [DBusValue?])
    func answers(value: DBusValue?) throws {
        let call = Message(
            .methodCall, path: "/a", interface: "org.example.Test", member: "Test", serial: 9, sender: ":1.20")
        var answer = try call.methodReturn()
        answer.sender = ":1.5"
        try answer.write(values: value.map { [$0] } ?? [])
        let read = try LibdbusMessage(encoding: answer).read()
        #expect(headerTexts(of: read) == headerTexts(of: answer))
        #expect(try read.values() == (value.map { [$0] } ?? []))
    }

    @Test("an encoded message is sent to several receivers → each gets its own, and the message stays the same")
    func receivers() throws {
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try message.write("text")
        let encoded = try message.encoded()
        for name in [":1.1", ":1.2", nil] {
            var addressed = encoded
            if let name { try addressed.setDestination(name) }
            let form = try LibdbusMessage.sendable(addressed)
            unsafe dbus_message_set_serial(form.raw, 3)  // sending it would do this
            let read = try form.read()
            #expect(try read.destination == name && read.serial == 3 && read.decode(as: String.self) == "text")
        }
        #expect(encoded.destination == nil)
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
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
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
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        try message.write("v") { writer in
            writer.variant(type: text.utf8Span.span) { value.append(to: &$0) }
        }
        #expect(try message.values() == [.variant(value)])
    }

    @Test(
        "a message has values that D-Bus does not allow → it cannot be encoded",
        arguments: [false, true])
    func impossibleValues(hasDescriptor: Bool) throws {
        let nested = (0..<40).reduce(DBusValue.string("x")) { inner, _ in .array(element: inner.signature, [inner]) }
        let many = DBusValue.structure((0..<300).map { .byte(UInt8($0 % 256)) })
        for value in [.structure([]), nested, many] {
            var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
            #expect(throws: DBusError.self, "\(value.signature)") {
                try message.write(values: [.variant(value)] + (hasDescriptor ? [descriptor()] : []))
                _ = try message.encoded()
            }
        }
    }

    @Test("a body has empty text, other text and a descriptor → the texts are read unchanged")
    func textBesideDescriptors() throws {
        var message = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        let values: [DBusValue] = [.string(""), .signature(.empty), .array(element: "s", [.string(""), .string("x")])]
        try message.write(values: values + [descriptor()])
        let read = try LibdbusMessage(encoding: message).read().values()
        #expect(Array(read.dropLast()) == values && read.count == 4)
    }

    private func descriptor() throws -> DBusValue { .fileDescriptor(try FileDescriptor(duplicating: 0)) }
}
