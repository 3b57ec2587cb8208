// SPDX-License-Identifier: Apache-2.0

/// The working memory of one diff: one block from which its buffers are allocated.
///
/// After the diff, the allocator keeps the one freed block for the next diff. If each buffer were freed on its own,
/// the allocator would return the end of the heap to the system, and every page would have to be mapped and cleared
/// again.
@safe
struct DiffMemory: ~Copyable {
    // `with` owns the block. Memory allocated from it is used only inside the call.
    private let block: UnsafeMutableRawBufferPointer
    private var used = 0

    /// The alignment of allocations in the block: a cache line.
    static let alignment = 64

    /// Calls `body` with working memory of `byteCount` bytes, and frees it afterwards.
    static func with<Result>(byteCount: Int, _ body: (inout DiffMemory) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: alignment) { block in
            var memory = unsafe DiffMemory(block)
            return body(&memory)
        }
    }

    private init(_ block: UnsafeMutableRawBufferPointer) { unsafe self.block = block }

    /// Returns uninitialised memory for `count` elements; nil if the block has too little room left.
    mutating func allocate<Element: BitwiseCopyable>(_ count: Int, of type: Element.Type) -> UnsafeMutableBufferPointer<
        Element
    >? {
        let end = used + count * MemoryLayout<Element>.stride
        guard unsafe end <= block.count else { return nil }
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: block[used..<end])
        let lines = (end + DiffMemory.alignment - 1) / DiffMemory.alignment
        used = unsafe min(lines * DiffMemory.alignment, block.count)
        return unsafe part.bindMemory(to: type)
    }
}
