// SPDX-License-Identifier: Apache-2.0

/// A complete body: its signature, its bytes, and the descriptors to which the indexes in the bytes refer.
struct WrittenBody: ~Copyable {
    /// The maximum length of a body in bytes. With its header, the message stays below the specification's 128 MiB.
    static let largest = (1 << 27) - 4096

    let signature: Signature
    let bytes: MarshalledBytes
    let descriptors: [FileDescriptor]

    /// Creates an empty body.
    init() {
        signature = .empty
        bytes = MarshalledBytes()
        descriptors = []
    }

    /// Creates a body; `body` appends values that match `signature`.
    ///
    /// - Throws: the writer's failure.
    init(
        _ signature: Signature, limit: Int = WrittenBody.largest,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        var text = signature.text
        var bytes = MarshalledBytes()
        var descriptors: [FileDescriptor] = []
        let failure: DBusError? = text.withUTF8 { types in
            var writer = unsafe MessageWriter(types: types, limit: limit)
            do throws(DBusError) {
                try body(&writer)
            } catch {
                return error
            }
            if let failure = writer.failure { return failure.error }
            guard writer.isComplete else {
                return .invalidArgs("values are missing at the end of the signature “\(signature)”")
            }
            descriptors = writer.descriptors
            bytes = writer.finish()
            return nil
        }
        if let failure { throw failure }
        self.signature = signature
        self.bytes = bytes
        self.descriptors = descriptors
    }
}
