// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Message readers and writers")
@DBusActor
struct CursorTests {
    private func message() throws -> Message {
        try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
    }

    private func makeMessage(
        _ signature: Signature, limit: Int = 1 << 27, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws -> Message {
        var message = try message()
        try message.write(signature, limit: limit, body)
        return message
    }

    private func writeError(
        _ signature: Signature, limit: Int = 1 << 27, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) -> StandardError? {
        do {
            _ = try makeMessage(signature, limit: limit, body)
            return nil
        } catch {
            return DBusError(error).standard
        }
    }

    @Test("rows of a(ssa{sv}) are written and read → the rows are unchanged, and the bytes are counted exactly")
    func rows() throws {
        let message = try makeMessage("a(ssa{sv})") { writer in
            writer.array { rows in
                for number in 0..<3 as Range<UInt32> {
                    rows.structure { row in
                        row.append("id\(number)")
                        row.append("row")
                        row.array { fields in
                            fields.dictionaryEntry { entry in
                                entry.append("n")
                                entry.variant("u") { $0.append(number) }
                            }
                        }
                    }
                }
            }
        }
        let rows = try message.decode(as: [DBusStruct<String, String, [String: Variant<UInt32>]>].self)
        #expect(rows.map(\.members.0) == ["id0", "id1", "id2"])
        #expect(rows.map { $0.members.2["n"]?.value } == [0, 1, 2])
    }

    @Test("random values are written → the writer counts as many bytes as the body has on the wire")
    func byteCount() async throws {
        let bus = try PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        bus.pause()
        var random = SeededRandom(seed: 5)
        let empty = try Message.signal(path: "/", interface: "org.example.Test", member: "Test")
        // The stopped bus reads nothing. Once the socket is full, each message adds its size to the outgoing queue.
        while connection.outgoingSize < 1 << 20 {
            var filler = try message()
            try filler.write([UInt8](repeating: 0, count: 60000))
            try connection.send(filler)
        }
        func size(_ message: Message) throws -> Int {
            let before = connection.outgoingSize
            try connection.send(message)
            return connection.outgoingSize - before
        }
        let header = try size(empty)
        for _ in 0..<200 {
            let value = random.value(of: .types(of: random.signature(depth: 3)))
            var message = try message()
            try message.write(values: [value])
            // The signature is one more header field: 4 bytes, a length, its text and a NUL, padded to 8.
            let field = (header + 4 + 1 + value.signature.text.utf8.count + 1 + 7) / 8 * 8
            #expect(try size(message) - message.bodySize - field <= 8)
            #expect(try size(message) - message.bodySize - header >= 0)
        }
        bus.resume()
    }

    @Test(
        "an array of numbers is written and read → it is one block of memory, whose elements are not copied one by one")
    func fixedArrays() throws {
        let numbers = (0..<1000).map { UInt64($0) * 1_000_003 }
        let message = try makeMessage("atauay") { writer in
            writer.appendArray(numbers)
            writer.appendArray([] as [UInt32])
            writer.appendArray([1, 2, 3] as [UInt8])
        }
        try message.read { (reader) throws(DBusError) in
            let element = reader.nextElement
            #expect(element == .uint64)
            let sum = try reader.fixedArray(of: UInt64.self) { span in
                var sum: UInt64 = 0
                for index in span.indices { sum &+= span[index] }
                return sum
            }
            #expect(sum == numbers.reduce(0, &+))
            #expect(try reader.fixedArray(of: UInt32.self) { $0.count } == 0)
            #expect(try reader.fixedArray(of: UInt8.self) { $0[2] } == 3)
            let end = reader.atEnd
            #expect(end)
        }
    }

    @Test("entries of a{sv} are read, those with strings by `textEntry` → they have the written keys and values")
    func textEntries() throws {
        var random = SeededRandom(seed: 17)
        for _ in 0..<300 {
            let fields = random.value(of: "a{sv}")
            var message = try message()
            try message.write(values: [fields, .byte(7)])
            let (entries, texts, last) = try message.read { (reader) throws(DBusError) in
                var (entries, texts) = ([DBusValue.Entry](), 0)
                try reader.array { (inside) throws(DBusError) -> Void in
                    while !inside.atEnd {
                        let text = try inside.textEntry { key, text in
                            DBusValue.Entry(key: .string(Self.string(key)), value: .variant(.string(Self.string(text))))
                        }
                        if let text {
                            texts += 1
                            entries.append(text)
                        } else {
                            entries.append(try Self.entry(&inside))
                        }
                    }
                }
                return (entries, texts, try reader.readUInt8())
            }
            guard case .dictionary(_, _, let written) = fields else { continue }
            #expect(entries == written)
            #expect(texts == written.count { if case .variant(.string) = $0.value { true } else { false } })
            #expect(last == 7)
        }
    }

    @Test("text entries are read from a value of another type → the result is nil, and the reader does not advance")
    func noTextEntries() throws {
        var message = try message()
        try message.write(["key": "text"], ["one", "two"], "three")
        let read = try message.read { (reader) throws(DBusError) in
            let text = try reader.textEntry { _, _ in true }
            #expect(text == nil)
            let dictionary = try reader.array { (inside) throws(DBusError) in
                let text = try inside.textEntry { _, _ in true }
                #expect(text == nil)
                return try inside.dictionaryEntry { (entry) throws(DBusError) in
                    [try entry.readString(), try entry.readString()]
                }
            }
            let array = try reader.array { (inside) throws(DBusError) in
                let text = try inside.textEntry { _, _ in true }
                #expect(text == nil)
                return [try inside.readString(), try inside.readString()]
            }
            return dictionary + array + [try reader.readString()]
        }
        #expect(read == ["key", "text", "one", "two", "three"])
    }

    private static func string(_ bytes: Span<UInt8>) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private static func entry(_ reader: inout MessageReader) throws(DBusError) -> DBusValue.Entry {
        try reader.dictionaryEntry { (entry) throws(DBusError) in
            let key = try entry.readString()
            return DBusValue.Entry(key: .string(key), value: try DBusValue(next: &entry))
        }
    }

    @Test(
        "descriptors in nested containers, some of them skipped → each remaining descriptor refers to the right file"
    )
    func descriptors() throws {
        let directory = TemporaryDirectory()
        let files = try (0..<5).map { try OpenFile.create("\(directory.path)/\($0)", contents: "\($0)") }
        let message = try makeMessage("sah(yh)a{yv}h") { writer in
            writer.append("text")
            writer.array {
                $0.append(files[0]); $0.append(files[1])
            }
            writer.structure {
                $0.append(1 as UInt8); $0.append(files[2])
            }
            writer.array { entries in
                entries.dictionaryEntry { entry in
                    entry.append(2 as UInt8)
                    entry.variant("h") { $0.append(files[3]) }
                }
            }
            writer.append(files[4])
        }
        let read = try message.read { (reader) throws(DBusError) in
            reader.skip()
            var read = try reader.array { (inside) throws(DBusError) -> [FileDescriptor] in
                inside.skip()
                return [try inside.readFileDescriptor()]
            }
            read.append(
                try reader.structure { (inside) throws(DBusError) in
                    inside.skip()
                    return try inside.readFileDescriptor()
                })
            read.append(
                try reader.array { (inside) throws(DBusError) in
                    try inside.dictionaryEntry { (entry) throws(DBusError) in
                        entry.skip()
                        return try entry.variant { (inside) throws(DBusError) in try inside.readFileDescriptor() }
                    }
                })
            return read + [try reader.readFileDescriptor()]
        }
        #expect(read.map(OpenFile.contents) == ["1", "2", "3", "4"])
    }

    @Test(
        "a hundred descriptors between skipped bytes → every descriptor and all subsequent values are read")
    func manyDescriptors() throws {
        let directory = TemporaryDirectory()
        let file = try OpenFile.create(directory.path + "/file", contents: "same")
        let message = try makeMessage("a(hay)hs") { writer in
            writer.array { rows in
                for _ in 0..<100 as Range<Int> {
                    rows.structure {
                        $0.append(file)
                        $0.appendArray([UInt8](repeating: 7, count: 1000))
                    }
                }
            }
            writer.append(file)
            writer.append("end")
        }
        let (rows, last, end) = try message.read { (reader) throws(DBusError) in
            let rows = try reader.array { (rows) throws(DBusError) in
                var files: [FileDescriptor] = []
                while !rows.atEnd {
                    files.append(try rows.structure { (row) throws(DBusError) in try row.readFileDescriptor() })
                }
                return files
            }
            return (rows, try reader.readFileDescriptor(), try reader.readString())
        }
        #expect(Set((rows + [last]).map(\.rawValue)).count == 101 && end == "end")
        #expect((rows + [last]).allSatisfy { OpenFile.contents($0) == "same" })
    }

    @Test("text is written from bytes and read as bytes → no String is created")
    func utf8() throws {
        let bytes = Array("grün".utf8)
        let message = try makeMessage("sog") { writer in
            writer.append(utf8: bytes.span)
            writer.append("/a" as ObjectPath)
            writer.append("as" as Signature)
        }
        try message.read { (reader) throws(DBusError) in
            #expect(try reader.readUTF8 { span in span.indices.map { span[$0] } } == bytes)
            #expect(try reader.readUTF8 { $0.count } == 2)
            #expect(try reader.readUTF8 { $0.count } == 2)
        }
    }

    @Test("the next value has another type than the reader requests → InvalidArgs, and the reader does not advance")
    func readerMismatch() throws {
        let message = try makeMessage("ua{sv}") { writer in
            writer.append(7 as UInt32)
            writer.array { _ in }
        }
        try message.read { (reader) throws(DBusError) in
            expectMismatch(&reader) { (reader) throws(DBusError) in _ = try reader.readString() }
            expectMismatch(&reader) { (reader) throws(DBusError) in try reader.array { _ in } }
            expectMismatch(&reader) { (reader) throws(DBusError) in _ = try reader.readUTF8 { $0.count } }
            #expect(try reader.readUInt32() == 7)
            expectMismatch(&reader) { (reader) throws(DBusError) in try reader.structure { _ in } }
            expectMismatch(&reader) { (reader) throws(DBusError) in
                _ = try reader.fixedArray(of: UInt32.self) { $0.count }
            }
            let signature = reader.nextSignature
            #expect(signature == "a{sv}")
            try reader.array { (inside) throws(DBusError) in
                let (end, next) = (inside.atEnd, inside.next)
                #expect(end && next == nil)
                expectMismatch(&inside) { (inside) throws(DBusError) in try inside.dictionaryEntry { _ in } }
                inside.skip()
            }
            let end = reader.atEnd
            #expect(end)
            expectMismatch(&reader) { (reader) throws(DBusError) in _ = try reader.readUInt32() }
        }
    }

    private func expectMismatch(
        _ reader: inout MessageReader, _ body: (inout MessageReader) throws(DBusError) -> Void
    ) {
        do throws(DBusError) {
            try body(&reader)
            Issue.record("the reader returned a value of another type")
        } catch {
            #expect(error.standard == .invalidArgs)
        }
    }

    @Test("a value that does not fit the signature is written → the first error is thrown, and libdbus does not abort")
    func writerMismatch() {
        #expect(writeError("u") { $0.append("x") } == .invalidArgs)
        #expect(writeError("u") { _ in } == .invalidArgs)
        #expect(writeError("") { $0.append(1 as UInt8) } == .invalidArgs)
        #expect(writeError("s") { $0.append("a\0b") } == .invalidArgs)
        #expect(writeError("s") { $0.append(utf8: ([0xff, 0xfe] as [UInt8]).span) } == .invalidArgs)
        #expect(writeError("s") { $0.append(utf8: ([0xed, 0xa0, 0x80] as [UInt8]).span) } == .invalidArgs)
        #expect(writeError("s") { $0.append(utf8: ([0x61, 0] as [UInt8]).span) } == .invalidArgs)
        #expect(writeError("(us)") { $0.structure { $0.append(1 as UInt32) } } == .invalidArgs)
        #expect(
            writeError("(u)") {
                $0.structure {
                    $0.append(1 as UInt32); $0.append(1 as UInt32)
                }
            } == .invalidArgs)
        #expect(
            writeError("au") {
                $0.array {
                    $0.append(1 as UInt32); $0.append("x")
                }
            } == .invalidArgs)
        #expect(writeError("au") { $0.appendArray([1.5]) } == .invalidArgs)
        #expect(writeError("a{sv}") { $0.array { $0.dictionaryEntry { $0.append("k") } } } == .invalidArgs)
        #expect(writeError("a{sv}") { $0.array { $0.structure { $0.append("k") } } } == .invalidArgs)
        #expect(writeError("v") { $0.variant("") { _ in } } == .invalidArgs)
        #expect(writeError("v") { $0.variant("uu") { $0.append(1 as UInt32) } } == .invalidArgs)
        #expect(writeError("v") { $0.variant("u") { $0.append("x") } } == .invalidArgs)
        #expect(writeError("v") { $0.variant("u") { _ in } } == .invalidArgs)
        #expect(writeError("u") { $0.fail(DBusError(.accessDenied, "no")) } == .accessDenied)
    }

    @Test(
        "an error is thrown inside nested containers → the containers are abandoned, and the message keeps its body"
    )
    func abandoned() throws {
        var message = try message()
        #expect(throws: DBusError(.accessDenied, "stop")) {
            try message.write("a(sa{sv})") { (writer) throws(DBusError) in
                try writer.array { (rows) throws(DBusError) in
                    try rows.structure { (row) throws(DBusError) in
                        row.append("x")
                        try row.array { (fields) throws(DBusError) in
                            try fields.dictionaryEntry { (entry) throws(DBusError) in
                                entry.append("k")
                                try entry.variant("(us)") { (inside) throws(DBusError) in
                                    throw DBusError(.accessDenied, "stop")
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(message.signature == .empty && message.bodySize == 0)
    }

    @Test(
        "values are nested 64 containers deep → they are accepted; 65 deep → LimitsExceeded is thrown",
        arguments: [64, 65])
    func depth(count: Int) {
        func nest(_ writer: inout MessageWriter, _ remaining: Int) {
            guard remaining > 0 else { return writer.append(1 as UInt8) }
            writer.variant(remaining == 1 ? "y" : "v") { nest(&$0, remaining - 1) }
        }
        #expect(writeError("v") { nest(&$0, count) } == (count == 64 ? nil : .limitsExceeded))
    }

    @Test("a body grows past its size limit → the writer throws LimitsExceeded")
    func limit() {
        #expect(writeError("ay", limit: 104) { $0.appendArray([UInt8](repeating: 0, count: 100)) } == nil)
        #expect(writeError("ay", limit: 104) { $0.appendArray([UInt8](repeating: 0, count: 101)) } == .limitsExceeded)
        #expect(writeError("as", limit: 100) { $0.array { for _ in 0..<50 { $0.append("x") } } } == .limitsExceeded)
        let large = [UInt64](repeating: 0, count: (1 << 23) + 1)
        #expect(writeError("at") { $0.appendArray(large) } == .limitsExceeded)
    }
}
