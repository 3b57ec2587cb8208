// SPDX-License-Identifier: Apache-2.0

extension Span where Element == UInt8 {
    /// Returns whether both spans have the same bytes.
    @inline(__always)
    func isIdenticalBytes(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Every load is within the bounds, by the comparison with the count, which is the same for both.
        let (mine, theirs) = unsafe (bytes, other.bytes)
        var position = 0
        while position + 8 <= count {
            let a = unsafe mine.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let b = unsafe theirs.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            if a != b { return false }
            position += 8
        }
        while position < count {
            if self[position] != other[position] { return false }
            position += 1
        }
        return true
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes. Faster than `utf8Span`, which is not inlined.
    @inline(__always)
    func withUTF8Bytes<Answer, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        // The buffer is only read during the call.
        let result = unsafe utf8.withContiguousStorageIfAvailable { buffer in
            Result { () throws(Failure) in try unsafe body(Span(_unsafeElements: buffer)) }
        }
        if let result { return try result.get() }
        return try body(utf8Span.span)
    }

    /// Makes a string from UTF-8 bytes. Malformed UTF-8 becomes replacement characters.
    init(copying bytes: Span<UInt8>) {
        // The buffer is only read during the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
