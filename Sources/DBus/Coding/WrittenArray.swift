// SPDX-License-Identifier: Apache-2.0

/// An array of structs or dict entries that was marshalled separately and can be appended to messages unchanged.
///
/// Such elements are aligned to 8 bytes, so their marshalled bytes do not depend on the array's position in a
/// message.
struct WrittenArray: Sendable {
    private let elements: [UInt8]

    /// Marshals an array.
    ///
    /// - Parameters:
    ///   - signature: the signature of an array whose elements are aligned to 8.
    ///   - body: a closure that writes the array.
    /// - Throws: the writer's failure.
    init(
        _ signature: Signature, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        let written = try WrittenBody(signature, body)
        // The length of the array, padded to 8, precedes its elements.
        elements = unsafe written.bytes.withBytes { bytes in unsafe Array(bytes.dropFirst(8)) }
    }

    /// The number of marshalled bytes.
    var size: Int { elements.count }

    func withElements<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe elements.withUnsafeBytes(body) }
}

extension MessageWriter {
    /// Appends an array that was marshalled separately. It is a failure if the signature has another type next.
    mutating func append(_ array: WrittenArray) {
        self.array { elements in unsafe array.withElements { unsafe elements.appendElements($0) } }
    }
}
