// SPDX-License-Identifier: Apache-2.0

/// An observer of a ``Presentation``, for a program that uses the library.
protocol PresentationDelegate: AnyObject {
    /// Called after an item update was queued.
    func didQueueItemUpdate()
    /// Called before an update is presented.
    ///
    /// - Parameter baseRevision: the revision before the update.
    func willPresent(_ baseRevision: UInt64)
    /// Returns as what an update is announced; `nil` = the options decide.
    func form(of change: Change) -> ListOptions.Updater?
    /// Whether announcements include a batch in IGListKit's form.
    var wantsBatch: Bool { get }
    /// Called after an update was presented and the views were updated.
    ///
    /// - Parameters:
    ///   - batch: the changes in the form that IGListKit applies to a view; `nil` for a reload, or if not wanted.
    ///   - isFallback: whether the transaction is a reload only because the update has too many changes.
    func didPresent(_ transaction: Transaction, batch: ListBatchUpdateData?, isFallback: Bool)
    /// Called when a section is found to be at fault.
    func didFindFault(_ fault: SectionFault)
    /// Whether there may be listeners for objects that appear and disappear.
    var hasDisplayListeners: Bool { get }
    /// The current listeners for objects that appear and disappear. Each is called before an item or a section appears,
    /// and after it has disappeared; `item` is `nil` for the section itself.
    var displayListeners: [(_ object: ListObject, _ section: Int, _ item: Int?, _ appears: Bool) -> Void] { get }
}

/// The result of a presented update whose listeners and completions have not been called yet.
struct ShownUpdate {
    /// The transaction to announce; `nil` if the update has nothing to announce.
    var transaction: Transaction?
    /// Whether all requests of the update are animated (rule UP-16).
    var isAnimated = true
    /// The completions of the item updates, with their tickets.
    var completions: [(ticket: Ticket, call: () -> Void)] = []
    /// The completions of nested item updates, which are called after all other completions.
    var innerCompletions: [() -> Void] = []
}
