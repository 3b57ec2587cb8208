// SPDX-License-Identifier: Apache-2.0

/// Is told what a ``Presentation`` does, for a program that uses the library.
protocol PresentationDelegate: AnyObject {
    /// An item update waits.
    func itemUpdateWaits()
    /// An update is about to be presented.
    func willPresent(_ baseRevision: UInt64)
    /// Whether anybody wants IGListKit's form of an update.
    var wantsBatch: Bool { get }
    /// An update was presented; the views have followed.
    func didPresent(_ announcement: Announcement)
    /// A section broke its contract.
    func didFindFault(_ fault: SectionFault)
    /// Those who are told which objects appear and disappear, as they are now.
    var displayListeners: [any DisplayListener] { get }
}

/// Is told which objects of a list appear and disappear.
protocol DisplayListener {
    /// An item of an object, or its section, is about to be shown, or gone.
    ///
    /// - Parameter item: the item; `nil` = the section.
    func display(_ object: ListObject, section: Int, item: Int?, appears: Bool)
}

/// What was made of an update, before those who wait for its end are called.
struct ShownUpdate {
    /// What is announced; `nil` when nothing is.
    var transaction: Transaction?
    /// Whether everything in it was animated (rule UP-16).
    var isAnimated = true
    /// The completions of its item updates, by their places.
    var completions: [(ticket: Ticket, call: () -> Void)] = []
    /// Those of item updates that others asked for; called after all others.
    var innerCompletions: [() -> Void] = []
}
