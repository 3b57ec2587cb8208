// SPDX-License-Identifier: Apache-2.0

/// A fixed-size buffer of plain numbers with one owner. The engine's loops use it instead of arrays.
///
/// Indexes are checked in debug builds only. They never come from outside of the engine.
@safe
struct FlatBuffer<Element: BitwiseCopyable>: ~Copyable {
    // The buffer owns the block if it allocated it in `init`, and frees it in `deinit`. Otherwise a `DiffMemory` owns
    // the block and outlives the buffer.
    private let block: UnsafeMutableBufferPointer<Element>
    private let ownsBlock: Bool

    /// Makes an uninitialised buffer in the working memory of a diff, or allocates one when there is no room left.
    /// The owner must write every element before reading it.
    init(uninitializedCount count: Int, in memory: inout DiffMemory) {
        let borrowed = unsafe memory.allocate(count, of: Element.self)
        unsafe block = borrowed ?? .allocate(capacity: count)
        ownsBlock = unsafe borrowed == nil
    }

    /// Makes a buffer with one value in all elements.
    init(repeating element: Element, count: Int, in memory: inout DiffMemory) {
        self.init(uninitializedCount: count, in: &memory)
        unsafe block.initialize(repeating: element)
    }

    deinit {
        if ownsBlock { unsafe block.deallocate() }
    }

    /// The number of elements.
    var count: Int { unsafe block.count }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { unsafe block[index] }
        nonmutating set { unsafe block[index] = newValue }
    }
}
