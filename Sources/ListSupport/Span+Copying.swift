// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Copies the bytes of a span in one operation.
    package init(copying bytes: Span<UInt8>) {
        // The span outlives the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension String {
    /// Copies a span of UTF-8.
    package init(copying bytes: Span<UInt8>) {
        // The bytes are only read during the call.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
