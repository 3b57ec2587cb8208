// SPDX-License-Identifier: Apache-2.0

/// What section controllers did while the data of a transaction is applied.
struct Application {
    /// Item by item changes of sections, each from the state before the transaction.
    var itemChanges: [SectionHandle: ListItemChanges] = [:]
    /// Sections to be asked for everything anew.
    var reloads: Set<SectionHandle> = []
    /// Where the items went of sections that are reloaded as a whole: what is kept by item follows them all the same.
    var followed: [SectionHandle: ListItemChanges] = [:]
    /// Sections that nobody has taken notice of and whose object changed, ascending: they are reloaded without a handle.
    var unnoticed: [UnnoticedUpdate] = []
    /// The items as they were, of sections of whose items something is kept while everything is reloaded.
    var itemsBefore: [SectionHandle: [ListItem]] = [:]
    /// Whether all section controllers are made anew, so that it does not matter what became of single items.
    var reloadsAll = false
    /// Sections of which something was said since their items were counted.
    var uncounted: Set<SectionHandle> = []
    /// Sections whose sizes are to be asked anew.
    var invalidated: Set<SectionHandle> = []
    /// Single items whose sizes are to be asked anew, by the indexes that they have after what was said so far.
    private(set) var resizes: [SectionHandle: Set<Int>] = [:]
    /// Controllers of displayed sections that were let go, so that they hear the end of it.
    var replaced: [SectionHandle: ListSectionController] = [:]
    /// For each item update of the queue that ran, whether its section was in the list.
    var finished: [Bool] = []
    /// Of item updates that others asked for: called when the transaction is over, after those of the queue.
    var completions: [(finished: Bool, call: (Bool) -> Void)] = []
    /// What is selected and deselected meanwhile, in order.
    var selections: [WaitingSelection] = []
    /// Whether data is still being applied; afterwards item updates wait for the next flush.
    var isCollecting = true
    /// The section whose controller is being shown its object, and what it says of its items meanwhile: whether that counts
    /// is known when it has seen the object.
    var updating: (handle: SectionHandle, said: [CollectedItemChanges])?
    /// What the item updates that run now say, the outermost first.
    var running: [ItemUpdatesCollector] = []

    /// How deep item updates may be nested; deeper ones wait for the next flush.
    static let maximumNesting = 32

    /// How often sections are counted that change while they are.
    static let maximumCounts = 8

    /// Whether there is anything to announce.
    var isAnnounced: Bool { !reloads.isEmpty || !unnoticed.isEmpty || itemChanges.values.contains { !$0.isEmpty } }

    /// Whether there is anything at all to do.
    var isEmpty: Bool { !isAnnounced && invalidated.isEmpty && resizes.isEmpty }

    /// Items of a section have other sizes; what names no item is ignored.
    mutating func resize(_ indexes: [Int], of handle: SectionHandle, itemCount: Int) {
        let items = indexes.filter { (0..<itemCount).contains($0) }
        if !items.isEmpty { resizes[handle, default: []].formUnion(items) }
    }

    /// Items of a section changed places after some of them were to be measured.
    mutating func moveResizes(of handle: SectionHandle, by changes: ListItemChanges) {
        guard let items = resizes[handle] else { return }
        let forward = changes.forwarding()
        resizes[handle] = Set(items.compactMap { forward($0) })
    }
}
