// SPDX-License-Identifier: Apache-2.0

/// The sections of a list in their order, each with its object and number of items.
///
/// While a change is open, the state before it (``ListSide/old``) and the state after it (``ListSide/new``) can be read side
/// by side; otherwise both are the same. An ``ObjectList`` and a ``Presentation`` on the same executor may share a table: the
/// presentation sets its numbers of items and payloads. Finding a section costs O(log n).
@_spi(Daemon) public final class SectionTable {
    /// The state after, and the one before as long as `isReplaced` is false.
    private(set) var tree = SectionTree()
    /// The objects of a resting table, which has no tree; `nil` otherwise.
    private var resting: (objects: [ListObject], itemCount: Int)?
    /// The state before a change that rebuilt the tree.
    private var previous = SectionTree()
    /// Whether the open change rebuilt the tree.
    private var isReplaced = false
    /// Whether a change is open.
    public private(set) var isOpen = false

    /// Makes a table; of repeated identifiers the first is kept.
    ///
    /// - Parameter itemCount: how many items the section of an object has.
    public init(_ objects: [ListObject] = [], itemCount: (ListObject) -> Int = { _ in 0 }) {
        tree = SectionTree.unique(objects) { _, object in itemCount(object) } ?? SectionTree()
    }

    /// Makes a resting table: the objects stay in their array, without a tree, until ``wake()``; only counts can be read.
    ///
    /// - Parameter itemCount: how many items they have together until then.
    public init(resting objects: [ListObject], itemCount: Int = 0) { resting = (objects, itemCount) }

    /// Fills a table that has no sections; of repeated identifiers the first is kept.
    func load(_ objects: [ListObject], itemCount: (ListObject) -> Int) {
        tree = SectionTree.unique(objects) { _, object in itemCount(object) } ?? SectionTree()
    }

    /// Whether the table has no tree.
    public var isResting: Bool { resting != nil }

    /// Builds the tree of a resting table, without the objects of repeated identifiers; the sections have no items.
    ///
    /// - Complexity: O(n).
    public func wake() {
        guard let objects = resting?.objects else { return }
        resting = nil
        tree = SectionTree.unique(objects) { _, _ in 0 } ?? SectionTree()
    }

    // MARK: Reading

    /// How many sections one side has.
    public func count(_ side: ListSide) -> Int { resting?.objects.count ?? read(side) { $0.count($1) } }

    /// How many items one side has.
    public func itemCount(_ side: ListSide) -> Int { resting?.itemCount ?? read(side) { $0.itemCount($1) } }

    /// The object of a section; `nil` past the ends.
    public func object(at index: Int, _ side: ListSide) -> ListObject? { read(side) { $0.object(at: index, in: $1) } }

    /// How many items a section has; `nil` past the ends.
    public func itemCount(at index: Int, _ side: ListSide) -> Int? {
        read(side) { $0.section(at: index, in: $1)?.itemCount }
    }

    /// The section of an object by its identifier; `nil` when there is none.
    public func index(ofID id: String, _ side: ListSide) -> Int? { read(side) { $0.index(of: id, in: $1) } }

    /// The object with an identifier; `nil` when there is none.
    public func object(withID id: String, _ side: ListSide) -> ListObject? {
        read(side) { $0.object(withID: id, in: $1) }
    }

    /// The objects of a range of sections, as many as there are.
    ///
    /// - Complexity: O(log n + sections in the range).
    public func objects(_ side: ListSide, in range: Range<Int>) -> [ListObject] {
        read(side) { tree, side in
            let range = range.clamped(to: 0..<tree.count(side))
            var result: [ListObject] = []
            result.reserveCapacity(range.count)
            tree.forEachSection(in: range, of: side) { _, section in result.append(section.object) }
            return result
        }
    }

    /// The section at a position; `nil` past the ends.
    func section(at index: Int, _ side: ListSide) -> SectionTree.Section? {
        read(side) { $0.section(at: index, in: $1) }
    }

    /// The section of an object, found by its identifier; `nil` when there is none.
    func index(of object: ListObject, _ side: ListSide) -> Int? { read(side) { $0.index(of: object, in: $1) } }

    /// Reads a side from the tree that has it; after a rebuild the old side is the other tree's new one.
    private func read<Answer>(_ side: ListSide, _ body: (borrowing SectionTree, ListSide) -> Answer) -> Answer {
        if resting != nil { wake() }
        return isReplaced && side == .old ? body(previous, .new) : body(tree, side)
    }

    // MARK: Changing

    /// Validates requests in order, each against the result of the ones before it. The table is unchanged.
    ///
    /// Requires that no change is open.
    /// - Parameters:
    ///   - revision: the list's, which is compared with the one that a request expects.
    ///   - updater: the list's; with `reload`, a write that changes nothing counts as a change for the requests after it.
    ///   - types: types without a section controller; their objects are dropped.
    func stage(
        _ requests: [UpdateRequest], revision: UInt64, updater: ListOptions.Updater,
        rejecting types: Set<ObjectIdentifier>
    ) -> StagedRequests {
        wake()
        var staging = UpdateStaging(revision: revision, updater: updater, rejecting: types)
        var result = StagedRequests()
        for request in requests {
            var verdict = RequestVerdict(id: request.id)
            do throws(ListError) {
                verdict.droppedDuplicates = try staging.apply(request, to: &tree)
                result.animated = result.animated && request.allowsAnimation
            } catch {
                verdict.error = error
            }
            result.verdicts.append(verdict)
        }
        result.outcome = staging.finish(&tree)
        result.rebuildsControllers = staging.reloadsAll
        result.hasWrites = staging.hasUpdates
        result.forced = Set(staging.reloaded.compactMap { tree.index(of: $0) })
        return result
    }

    /// Makes changes; the state before them can be read until ``commit()``.
    ///
    /// - Parameters:
    ///   - itemCounts: how many items the inserted sections have, in their order.
    ///   - visit: called with the payload of each section that has one, and with its object after, when the tree is rebuilt.
    /// - Complexity: O(changes · log n), O(n) when much changes.
    func open(
        _ changes: SectionChanges, itemCounts: [Int], visit: (Int32, ListObject) -> Void = { _, _ in }
    ) {
        wake()
        isOpen = true
        guard changes.isMost(of: tree.count()), var new = tree.replaced(changes, itemCounts: itemCounts, visit: visit)
        else { return tree.edit(changes, itemCounts: itemCounts) }
        swap(&tree, &new)
        previous = new
        isReplaced = true
    }

    /// Sets the number of items of a section in the state after; ``commit()`` makes it that of both.
    func setItemCount(_ count: Int, at index: Int) {
        guard let section = tree.section(at: index), section.itemCount != count else { return }
        tree.replace(section.object, itemCount: count)
    }

    /// Sets the numbers of items of all sections, while no change is open.
    ///
    /// - Complexity: O(n).
    func setItemCounts(_ count: (ListObject) -> Int) {
        wake()
        tree.recount { _, object in count(object) }
    }

    /// Sets the payload of a section, on both sides.
    func setPayload(_ payload: Int32, at index: Int, _ side: ListSide) {
        if isReplaced && side == .old {
            previous.setPayload(payload, at: index)
        } else {
            tree.setPayload(payload, at: index, in: side)
        }
    }

    /// Drops the state before.
    ///
    /// - Returns: the payloads of removed sections; none if the tree was rebuilt.
    @discardableResult
    func commit() -> [Int32] {
        if isReplaced { previous = SectionTree() }
        (isOpen, isReplaced) = (false, false)
        return tree.commit().map(\.payload).filter { $0 != SectionTree.noPayload }
    }
}

/// The result of staging requests together.
struct StagedRequests {
    /// One for each request, in order.
    var verdicts: [RequestVerdict] = []
    /// The changes of the objects.
    var outcome = UpdateStaging.Outcome.changes(SectionChanges())
    /// Positions before of objects that are reloaded whether they changed or not.
    var forced: Set<Int> = []
    /// Whether all section controllers are replaced.
    var rebuildsControllers = false
    /// Whether a request wrote objects, changed or not.
    var hasWrites = false
    /// Whether all requests that were applied are animated.
    var animated = true
}
