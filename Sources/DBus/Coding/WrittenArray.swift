// SPDX-License-Identifier: Apache-2.0

/// An array of structs or dictionary entries that was written separately, to be appended to messages unchanged.
///
/// Such elements begin at multiples of 8, so their bytes are the same wherever the array is.
struct WrittenArray: Sendable {
    private let elements: [UInt8]

    /// - Parameters:
    ///   - signature: of an array whose elements are aligned to 8.
    ///   - body: writes the array.
    /// - Throws: the writer's failure.
    init(
        _ signature: Signature, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        let written = try WrittenBody(signature, body)
        // The length of the array, padded to 8, precedes its elements.
        elements = unsafe written.bytes.withBytes { bytes in unsafe Array(bytes.dropFirst(8)) }
    }

    /// The number of bytes.
    var size: Int { elements.count }

    func withElements<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe elements.withUnsafeBytes(body) }
}

extension MessageWriter {
    /// Appends an array that was written separately, if its type comes next.
    mutating func append(_ array: WrittenArray) {
        self.array { elements in unsafe array.withElements { unsafe elements.appendElements($0) } }
    }
}
