// SPDX-License-Identifier: Apache-2.0

/// A growing array of elements in blocks of equal size. Growth adds a block and copies no elements.
///
/// Indexes are checked only in debug builds, because the owner assigns them itself.
@safe
struct Slabs<Element>: ~Copyable {
    // The slabs own their blocks, and every element is initialized. Pointers to elements are valid only during a call.
    private var blocks: [UnsafeMutablePointer<Element>]
    /// The number of elements in all blocks.
    private(set) var capacity = 0
    private let shift: Int
    private let filler: Element

    /// Creates slabs without blocks.
    ///
    /// - Parameters:
    ///   - blockSize: the number of elements in a block, which must be a power of two.
    ///   - filler: the initial value of every element.
    init(blockSize: Int, filler: Element) {
        unsafe blocks = []
        shift = blockSize.trailingZeroBitCount
        self.filler = filler
    }

    deinit {
        for position in 0..<capacity >> shift {
            unsafe blocks[position].deinitialize(count: 1 << shift)
            unsafe blocks[position].deallocate()
        }
    }

    /// Adds blocks until there is room for `count` elements.
    mutating func reserve(_ count: Int) {
        while capacity < count {
            let block = UnsafeMutablePointer<Element>.allocate(capacity: 1 << shift)
            unsafe block.initialize(repeating: filler, count: 1 << shift)
            unsafe blocks.append(block)
            capacity += 1 << shift
        }
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < capacity)
            return unsafe blocks[index >> shift][index & ((1 << shift) - 1)]
        }
        nonmutating set {
            assert(index >= 0 && index < capacity)
            unsafe blocks[index >> shift][index & ((1 << shift) - 1)] = newValue
        }
    }

    /// Calls `body` with a span of elements, which must lie in one block.
    @inline(__always)
    func withRun<Result>(from index: Int, count: Int, _ body: (Span<Element>) -> Result) -> Result {
        assert(index >= 0 && index + count <= capacity && index & ((1 << shift) - 1) + count <= 1 << shift)
        let start = unsafe UnsafePointer(blocks[index >> shift] + (index & ((1 << shift) - 1)))
        return unsafe body(Span(_unsafeStart: start, count: count))
    }

    /// Returns the address of an element.
    @inline(__always)
    fileprivate func memory(at index: Int) -> UnsafeRawPointer {
        assert(index >= 0 && index < capacity)
        return unsafe UnsafeRawPointer(blocks[index >> shift] + (index & ((1 << shift) - 1)))
    }

    /// Copies a range of elements to another place in the same block or in another block. The ranges may overlap.
    func move(from source: Int, to target: Int, count: Int) {
        if source > target {
            for offset in 0..<count { self[target + offset] = self[source + offset] }
        } else if source < target {
            for offset in stride(from: count - 1, through: 0, by: -1) { self[target + offset] = self[source + offset] }
        }
    }
}

extension Slabs where Element == ListObject? {
    /// Returns whether there is an object of the given type at an index. Retains no object.
    @inline(__always)
    func hasType(_ type: ObjectType?, at index: Int) -> Bool {
        // A `ListObject?` has the layout of an optional strong reference. The slab retains the object.
        guard let object = unsafe memory(at: index).load(as: Unmanaged<ObjectBuffer>?.self) else { return false }
        return unsafe object._withUnsafeGuaranteedRef { buffer in
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type === type }
        }
    }
}

/// A growing array of numbers in blocks of equal size, for numbers that are nearly all the same.
///
/// A block takes memory only after a number other than the filler was written to it. Indexes are checked only in debug
/// builds, because the owner assigns them itself.
@safe
struct SparseSlabs<Element: BitwiseCopyable & Equatable>: ~Copyable {
    // The slabs own their blocks, and every element is initialized. Pointers to elements are valid only during a call.
    private var blocks: [UnsafeMutablePointer<Element>]
    /// A block of fillers, which stands for each block that has nothing else. It is never written to.
    private let unused: UnsafeMutablePointer<Element>
    /// The number of elements in all blocks.
    private(set) var capacity = 0
    private let shift: Int
    private let filler: Element

    /// Creates slabs without blocks.
    ///
    /// - Parameters:
    ///   - blockSize: the number of elements in a block, which must be a power of two.
    ///   - filler: the initial value of every element.
    init(blockSize: Int, filler: Element) {
        unsafe blocks = []
        shift = blockSize.trailingZeroBitCount
        self.filler = filler
        unsafe unused = SparseSlabs.makeBlock(of: filler, count: blockSize)
    }

    deinit {
        for position in 0..<capacity >> shift where unsafe blocks[position] != unused {
            unsafe blocks[position].deallocate()
        }
        unsafe unused.deallocate()
    }

    private static func makeBlock(of filler: Element, count: Int) -> UnsafeMutablePointer<Element> {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: count)
        unsafe block.initialize(repeating: filler, count: count)
        return unsafe block
    }

    /// Adds unused blocks until there is room for `count` elements.
    mutating func reserve(_ count: Int) {
        while capacity < count {
            unsafe blocks.append(unused)
            capacity += 1 << shift
        }
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < capacity)
            return unsafe blocks[index >> shift][index & ((1 << shift) - 1)]
        }
        set {
            assert(index >= 0 && index < capacity)
            if unsafe blocks[index >> shift] == unused {
                if newValue == filler { return }
                unsafe blocks[index >> shift] = SparseSlabs.makeBlock(of: filler, count: 1 << shift)
            }
            unsafe blocks[index >> shift][index & ((1 << shift) - 1)] = newValue
        }
    }

    /// Calls `body` with a span of elements, which must lie in one block.
    @inline(__always)
    func withRun<Result>(from index: Int, count: Int, _ body: (Span<Element>) -> Result) -> Result {
        assert(index >= 0 && index + count <= capacity && index & ((1 << shift) - 1) + count <= 1 << shift)
        let start = unsafe UnsafePointer(blocks[index >> shift] + (index & ((1 << shift) - 1)))
        return unsafe body(Span(_unsafeStart: start, count: count))
    }

    /// Copies a range of elements to another place in the same block or in another block. The ranges may overlap.
    mutating func move(from source: Int, to target: Int, count: Int) {
        if source > target {
            for offset in 0..<count { self[target + offset] = self[source + offset] }
        } else if source < target {
            for offset in stride(from: count - 1, through: 0, by: -1) { self[target + offset] = self[source + offset] }
        }
    }
}
