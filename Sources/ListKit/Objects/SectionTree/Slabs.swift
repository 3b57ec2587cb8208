// SPDX-License-Identifier: Apache-2.0

/// A growing sequence of elements in blocks of equal size, so that growing copies no elements.
///
/// Indexes are checked in debug builds only; the owner assigns them itself.
@safe
struct Slabs<Element>: ~Copyable {
    // The slabs own their blocks, every element of which is initialised; lent only for the time of a call.
    private var blocks: [UnsafeMutablePointer<Element>]
    /// How many elements there is room for.
    private(set) var capacity = 0
    private let shift: Int
    private let filler: Element

    /// Makes an empty sequence.
    ///
    /// - Parameter blockSize: elements a block; a power of two.
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

    /// Makes room for elements up to a count.
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

    /// Calls `body` with a run of elements inside of one block.
    @inline(__always)
    func withRun<Result>(from index: Int, count: Int, _ body: (Span<Element>) -> Result) -> Result {
        assert(index >= 0 && index + count <= capacity && index & ((1 << shift) - 1) + count <= 1 << shift)
        let start = unsafe UnsafePointer(blocks[index >> shift] + (index & ((1 << shift) - 1)))
        return unsafe body(Span(_unsafeStart: start, count: count))
    }

    /// The address of an element.
    @inline(__always)
    fileprivate func memory(at index: Int) -> UnsafeRawPointer {
        assert(index >= 0 && index < capacity)
        return unsafe UnsafeRawPointer(blocks[index >> shift] + (index & ((1 << shift) - 1)))
    }

    /// Copies a run of elements inside one block, or into another one; both runs may overlap.
    func move(from source: Int, to target: Int, count: Int) {
        if source > target {
            for offset in 0..<count { self[target + offset] = self[source + offset] }
        } else if source < target {
            for offset in stride(from: count - 1, through: 0, by: -1) { self[target + offset] = self[source + offset] }
        }
    }
}

extension Slabs where Element == ListObject? {
    /// Whether there is an object at an index and has a type; no reference is counted.
    @inline(__always)
    func hasType(_ type: ObjectType?, at index: Int) -> Bool {
        // An object is one strong reference and no object is nil; the slab keeps it alive during the comparison.
        guard let object = unsafe memory(at: index).load(as: Unmanaged<ObjectBuffer>?.self) else { return false }
        return unsafe object._withUnsafeGuaranteedRef { buffer in
            unsafe buffer.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type === type }
        }
    }
}
