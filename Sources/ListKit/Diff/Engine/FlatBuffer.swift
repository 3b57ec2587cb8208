/// A block of plain numbers with one owner: what the engine's loops work on instead of arrays.
///
/// Indexes are checked in debug builds only; they never come from outside of the engine.
@safe
struct FlatBuffer<Element: BitwiseCopyable>: ~Copyable {
    // The buffer owns the block: made in `init`, given back in `deinit`, lent only for the time of a call.
    private let block: UnsafeMutableBufferPointer<Element>

    /// Makes a block in which every element is the same.
    init(repeating element: Element, count: Int) {
        unsafe block = .allocate(capacity: count)
        unsafe block.initialize(repeating: element)
    }

    /// Makes a block of garbage, for an owner that writes every element before it reads it.
    init(uninitializedCount count: Int) { unsafe block = .allocate(capacity: count) }

    deinit { unsafe block.deallocate() }

    /// How many elements there are.
    var count: Int { unsafe block.count }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { unsafe block[index] }
        nonmutating set { unsafe block[index] = newValue }
    }
}
