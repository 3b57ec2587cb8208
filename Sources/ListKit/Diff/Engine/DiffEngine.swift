// SPDX-License-Identifier: Apache-2.0

/// The diff algorithm. It walks through both lists in parallel, pairs the remaining elements with a hash table,
/// checks for repeated identifiers, and computes the changes.
///
/// The results equal those of IGListKit (DF-01 … DF-35) on every path.
enum DiffEngine {
    /// The working memory per element that nearly every diff needs. Most of it is never touched; more is allocated
    /// when needed.
    private static let bytesPerElement = 64
    /// The maximum size of the working memory. The allocator would request a larger block from the system anew for
    /// each diff.
    private static let maximumBytes = 4 << 20

    /// Returns the changes between the two lists of a source.
    ///
    /// - Parameters:
    ///   - areUnique: the caller's promise that no identifier occurs twice in the old list or twice in the new list.
    ///   - lookup: the lookup by which the result finds identifiers.
    /// - Complexity: O(n), with minimal moves O(n · log n) at worst.
    static func result(
        _ source: some DiffSource, moves: ListDiffMoves, areUnique: Bool, lookup: (any DiffLookup)?
    ) -> ListIndexSetResult {
        let (oldCount, newCount) = (source.oldCount, source.newCount)
        if oldCount == 0 || newCount == 0 {
            return ListIndexSetResult(
                inserts: ListIndexSet(0..<newCount), deletes: ListIndexSet(0..<oldCount), lookup: lookup)
        }
        return DiffMemory.with(byteCount: min(maximumBytes, bytesPerElement * max(oldCount, newCount))) { memory in
            let runs = DiffRuns(walking: source, in: &memory)
            var pairing = DiffPairing(oldCount: runs.oldRestCount, newCount: runs.newRestCount, in: &memory)
            let table = DiffTable(count: runs.oldRestCount, limit: runs.oldRestCount, in: &memory)
            if pairing.pairUnique(source, runs, table, in: &memory),
                areUnique || DiffProof.confirmsPairs(source, runs, pairing, table, in: &memory)
            {
                return result(runs, pairing, moves, lookup, in: &memory)
            }
            return resultWithRepeatedIdentifiers(source, moves, lookup, in: &memory)
        }
    }

    /// Returns the changes if identifiers repeat. This path is slower.
    private static func resultWithRepeatedIdentifiers(
        _ source: some DiffSource, _ moves: ListDiffMoves, _ lookup: (any DiffLookup)?, in memory: inout DiffMemory
    ) -> ListIndexSetResult {
        let everything = DiffRuns.withoutRuns(source, in: &memory)
        var pairing = DiffPairing(oldCount: source.oldCount, newCount: source.newCount, in: &memory)
        pairing.pairRepeated(source, in: &memory)
        return result(everything, pairing, moves, lookup, in: &memory)
    }

    private static func result(
        _ runs: borrowing DiffRuns, _ pairing: borrowing DiffPairing, _ moves: ListDiffMoves,
        _ lookup: (any DiffLookup)?, in memory: inout DiffMemory
    ) -> ListIndexSetResult {
        let emission = DiffEmission(runs, pairing, in: &memory)
        var moved: [ListMoveIndex] = []
        if emission.movedCount > 0 {
            moved =
                moves == .positional ? emission.moves(runs, pairing) : emission.minimalMoves(runs, pairing, in: &memory)
        }
        return ListIndexSetResult(
            inserts: ListIndexSet(canonical: emission.inserts), deletes: ListIndexSet(canonical: emission.deletes),
            updates: ListIndexSet(canonical: emission.updates(runs)), moves: moved, lookup: lookup)
    }
}

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
