// SPDX-License-Identifier: Apache-2.0

/// A block of plain numbers with one owner: the engine's loops use it instead of arrays.
///
/// Indexes are checked in debug builds only; they never come from outside the engine.
@safe
struct FlatBuffer<Element: BitwiseCopyable>: ~Copyable {
    // Either the buffer owns the block, allocated in `init` and freed in `deinit`, or a `DiffMemory` does, which
    // outlives it.
    private let block: UnsafeMutableBufferPointer<Element>
    private let ownsBlock: Bool

    /// Takes an uninitialised block from the working memory of a diff, or allocates one when there is no room left; its
    /// owner writes every element before reading it.
    init(uninitializedCount count: Int, in memory: inout DiffMemory) {
        let lent = unsafe memory.take(count, of: Element.self)
        unsafe block = lent ?? .allocate(capacity: count)
        ownsBlock = unsafe lent == nil
    }

    /// The same with one value everywhere.
    init(repeating element: Element, count: Int, in memory: inout DiffMemory) {
        self.init(uninitializedCount: count, in: &memory)
        unsafe block.initialize(repeating: element)
    }

    deinit {
        if ownsBlock { unsafe block.deallocate() }
    }

    /// How many elements there are.
    var count: Int { unsafe block.count }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { unsafe block[index] }
        nonmutating set { unsafe block[index] = newValue }
    }
}
