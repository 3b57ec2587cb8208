// SPDX-License-Identifier: Apache-2.0

/// The state of a list that all its views share: the sections, layouts, options and revision.
final class ViewEnvironment {
    let store: SectionStore
    /// The layouts that several views may share.
    let layouts = SharedLayouts()
    /// The options of the list.
    private(set) var options: ListOptions
    /// The revision of the list.
    private(set) var revision: UInt64
    /// The view that is being laid out, whose geometry section controllers see.
    private(set) var currentView: ViewID?
    /// Whether an update is being presented, so that the sections have a state before and a state after it.
    private(set) var isUpdating = false
    /// Decides whether the list counts as empty, in place of the options.
    private var emptinessRule: (() -> Bool)?

    init(_ store: SectionStore, options: ListOptions, revision: UInt64) {
        self.store = store
        self.options = options
        self.revision = revision
    }

    /// The sections.
    var map: SectionMap { store.map }

    /// Replaces the options.
    func setOptions(_ new: ListOptions) { options = new }

    /// Replaces the rule that decides whether the list counts as empty; `nil` = the options decide.
    func setEmptinessRule(_ rule: (() -> Bool)?) { emptinessRule = rule }

    /// Whether a rule, and not the options, decides whether the list counts as empty.
    var hasEmptinessRule: Bool { emptinessRule != nil }

    /// Begins the presentation of an update.
    func beginUpdate() {
        isUpdating = true
        store.gate.beginUpdate()
    }

    /// Advances the revision to the revision of the update that is being presented.
    func advanceRevision() { revision += 1 }

    /// Ends the presentation of an update.
    func endUpdate() {
        isUpdating = false
        store.gate.endUpdate()
    }

    /// Runs a closure that lays out a view and thereby calls section controllers, which see that view's geometry.
    func layOut(_ view: ViewID, _ body: () -> Void) {
        let outer = currentView
        currentView = view
        store.gate.callOut(body)
        currentView = outer
    }

    /// Whether the list counts as empty.
    var isEmpty: Bool {
        if let emptinessRule { return store.gate.callOut(emptinessRule) }
        return switch options.emptiness {
        case .noItems: map.itemCount == 0
        case .noObjects: map.count == 0
        }
    }
}
