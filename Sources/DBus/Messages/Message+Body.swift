// SPDX-License-Identifier: Apache-2.0

internal import CDBus

extension Message {
    /// The maximum length of a body in bytes. With its header, the message stays below the specification's 128 MiB.
    public nonisolated static let largestBody = WrittenBody.largest

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

    /// Passes a reader of the body to a closure.
    public func read<R>(_ body: (inout MessageReader) throws(DBusError) -> R) throws(DBusError) -> R {
        defer { withExtendedLifetime(self) {} }
        return try unsafe MessageBody.withBody(of: try raw) { (bytes) throws(DBusError) in
            record(size: bytes.messageSize)
            var reader = MessageReader(bytes)
            return try body(&reader)
        }
    }

    /// Reads the whole body as typed values.
    ///
    /// - Throws: `InvalidArgs` when the body has a different signature.
    public func decode<each Value: DBusDecodable>(
        as types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        let wanted = Signature.of(repeat (each Value).self)
        guard signature == wanted else {
            throw .invalidArgs("the message has the signature \(signature.text.quoted) instead of “\(wanted)”")
        }
        return try read { (reader) throws(DBusError) in
            (repeat try (each Value)(from: &reader))
        }
    }

    /// Reads the whole body as dynamic values.
    public func values() throws(DBusError) -> [DBusValue] {
        try read { (reader) throws(DBusError) in try DBusValue.readAll(&reader) }
    }
}

// MARK: - Sizes

extension Message {
    /// The length of the body in bytes, computed without copying it.
    ///
    /// - Complexity: O(length of the signature and number of the values outside of arrays)
    public var bodyLength: Int {
        madeBodyLength ?? bodySize
    }

    /// The length of a received message in bytes, header and body; 0 while the message is only a draft.
    ///
    /// Reading it allocates no memory and takes time that depends on the signature alone. Until the body is read,
    /// header fields that D-Bus does not define are not counted.
    public var size: Int {
        if let knownSize { return knownSize }
        // The body first: that converts the message to this machine's byte order.
        guard let body = madeBodyLength, let made = unsafe made else { return 0 }
        return unsafe body + MarshalledLength.byteCount(ofHeaderOf: made)
    }

    /// The length of a received message in bytes, including undefined header fields. Copies a message whose body was
    /// not read.
    var exactSize: Int {
        if let knownSize { return knownSize }
        return unsafe made.flatMap { made in try? unsafe MarshalledMessage(made).count } ?? 0
    }
}
