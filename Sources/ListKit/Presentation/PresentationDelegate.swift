// SPDX-License-Identifier: Apache-2.0

/// Observes a ``Presentation``, for a program that uses the library.
protocol PresentationDelegate: AnyObject {
    /// An item update was queued.
    func itemUpdateWaits()
    /// An update is about to be presented.
    func willPresent(_ baseRevision: UInt64)
    /// Whether announcements need the form of IGListKit's collection view.
    var wantsBatch: Bool { get }
    /// An update was presented; the views have followed.
    func didPresent(_ announcement: Announcement)
    /// A section broke its contract.
    func didFindFault(_ fault: SectionFault)
    /// The present observers of objects that appear and disappear.
    var displayListeners: [any DisplayListener] { get }
}

/// Observes which objects of a list appear and disappear.
protocol DisplayListener {
    /// An item of an object, or its section, is about to be shown, or gone.
    ///
    /// - Parameter item: the item; `nil` = the section.
    func display(_ object: ListObject, section: Int, item: Int?, appears: Bool)
}

/// The result of an update before its listeners and completions are called.
struct ShownUpdate {
    /// The announcement; `nil` = none.
    var transaction: Transaction?
    /// Whether all its requests were animated (rule UP-16).
    var isAnimated = true
    /// The completions of its item updates, by their tickets.
    var completions: [(ticket: Ticket, call: () -> Void)] = []
    /// The completions of nested item updates, called after all others.
    var innerCompletions: [() -> Void] = []
}
