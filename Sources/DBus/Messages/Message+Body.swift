// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Message {
    /// The most bytes that a body may have so that the message stays below the specification's 128 MiB.
    public nonisolated static let largestBody = (1 << 27) - 4096

    /// Writes the whole body; `body` appends values that fit `signature`.
    ///
    /// - Throws: what was wrong with the values: the message is then useless and refuses to be sent.
    public func write(
        _ signature: Signature, limit: Int = Message.largestBody,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        guard bodySize == 0, let draft else {
            throw .failed("the message has its body already, or was read without one")
        }
        bodySize = -1  // until it is complete
        bodySize = try draft.write(signature, limit: min(limit, Message.largestBody), body)
    }

    /// Writes the whole body from typed values.
    public func write<each Value: DBusEncodable>(_ values: repeat each Value) throws(DBusError) {
        try write(Signature.of(repeat (each Value).self)) { writer in
            repeat (each values).encode(to: &writer)
        }
    }

    /// Writes the whole body from dynamic values.
    public func write(values: [DBusValue]) throws(DBusError) {
        let signature = try Signature(values.map { $0.signature.text }.joined())
        try write(signature) { writer in
            for value in values { value.append(to: &writer) }
        }
    }

    /// Reads the body with a cursor.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        defer { withExtendedLifetime(self) {} }
        return try unsafe MessageBody.with(try raw) { (bytes) throws(DBusError) in
            record(size: bytes.messageSize)
            var reader = MessageReader(bytes)
            return try body(&reader)
        }
    }

    /// Reads the whole body as typed values.
    ///
    /// - Throws: `InvalidArgs` when the body has another signature.
    public func decode<each Value: DBusDecodable>(
        as types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        let wanted = Signature.of(repeat (each Value).self)
        guard signature == wanted else {
            throw .invalidArgs("the message holds \(signature.text.quoted) where “\(wanted)” belongs")
        }
        return try read { (reader) throws(DBusError) in
            (repeat try (each Value)(from: &reader))
        }
    }

    /// The whole body as dynamic values.
    public func values() throws(DBusError) -> [DBusValue] {
        try read { (reader) throws(DBusError) in try DBusValue.readAll(&reader) }
    }
}
