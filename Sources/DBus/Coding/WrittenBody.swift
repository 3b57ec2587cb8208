// SPDX-License-Identifier: Apache-2.0

/// A written body: its types, its bytes, and the descriptors that the indexes in it refer to.
struct WrittenBody: ~Copyable {
    /// The maximum length of a body whose message stays below the specification's 128 MiB.
    static let largest = (1 << 27) - 4096

    let signature: Signature
    let bytes: MarshalledBytes
    let descriptors: [FileDescriptor]

    /// A body without values.
    init() {
        signature = .empty
        bytes = MarshalledBytes()
        descriptors = []
    }

    /// Writes the whole body; `body` appends values that fit `signature`.
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
                return .invalidArgs("the values end before the signature “\(signature)” does")
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
