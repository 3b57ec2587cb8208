// SPDX-License-Identifier: Apache-2.0

/// The working memory of one diff: one block that its buffers share.
///
/// The allocator keeps one block of a size for the next diff, but returns the end of the heap to the system after many
/// blocks were freed; then every page would have to be mapped and cleared again.
@safe
struct DiffMemory: ~Copyable {
    // `with` owns the block; memory lent from it is used only inside the call.
    private let block: UnsafeMutableRawBufferPointer
    private var used = 0

    /// The offset where lent blocks start: aligned to a cache line.
    static let alignment = 64

    /// Lends working memory.
    static func with<Result>(byteCount: Int, _ body: (inout DiffMemory) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: alignment) { block in
            var memory = unsafe DiffMemory(block)
            return body(&memory)
        }
    }

    private init(_ block: UnsafeMutableRawBufferPointer) { unsafe self.block = block }

    /// An uninitialised block; nil when there is no room left.
    mutating func take<Element: BitwiseCopyable>(_ count: Int, of type: Element.Type) -> UnsafeMutableBufferPointer<
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
