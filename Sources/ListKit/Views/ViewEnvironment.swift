// SPDX-License-Identifier: Apache-2.0

/// What all views of a list look at: its sections, options and revision.
final class ViewEnvironment {
    let store: SectionStore
    /// The layouts that several views may have.
    let layouts = SharedLayouts()
    /// How the list behaves.
    private(set) var options: ListOptions
    /// The revision of the list.
    private(set) var revision: UInt64
    /// The view that is being laid out, whose geometry section controllers see.
    private(set) var currentView: ViewID?
    /// Whether the sections have two states, that before an update and that after it.
    private(set) var isUpdating = false
    /// Says whether the list counts as empty, in place of the options.
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

    /// Replaces the rule that says whether the list counts as empty; `nil` = the options say so.
    func setEmptinessRule(_ rule: (() -> Bool)?) { emptinessRule = rule }

    /// Whether something else than the options says whether the list counts as empty.
    var hasEmptinessRule: Bool { emptinessRule != nil }

    /// An update of the sections begins.
    func beginUpdate() {
        isUpdating = true
        store.gate.beginUpdate()
    }

    /// The update of the sections has the next revision.
    func advanceRevision() { revision += 1 }

    /// The update is over.
    func endUpdate() {
        isUpdating = false
        store.gate.endUpdate()
    }

    /// Lays a view out, which asks section controllers on the way.
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
