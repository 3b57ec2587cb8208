// SPDX-License-Identifier: Apache-2.0

/// The views of a list in the order of their opening, and what an update has to know of each to pass most of them over.
struct ViewTable {
    /// What an update has to know of a view.
    private struct Outline {
        /// The sections of which the view shows something.
        var sections = 0..<0
        /// Whether each update has to be followed.
        var followsAll = true
        /// Whether the viewer names items.
        var namesItems = false
        /// Whether the viewer was not sent what it lacks.
        var isWaiting = false
        var isOnScreen = true
    }

    /// The views in the order of their opening.
    private(set) var views: [ListView] = []
    private var outlines: [Outline] = []
    /// The numbers of their opening, ascending.
    private var numbers: [Int] = []
    private var known: [ViewID: (view: ListView, number: Int)] = [:]
    private var lastNumber = 0
    /// Views whose outlines have to be taken anew.
    private var changed: Set<ViewID> = []

    /// A view by its name.
    subscript(id: ViewID) -> ListView? { known[id]?.view }

    /// Adds a view whose name is not in use.
    mutating func append(_ view: ListView) {
        lastNumber += 1
        views.append(view)
        outlines.append(Outline())
        numbers.append(lastNumber)
        known[view.id] = (view, lastNumber)
        changed.insert(view.id)
    }

    /// Takes a view away.
    ///
    /// - Complexity: O(views).
    mutating func remove(_ view: ListView) {
        guard let place = place(of: view.id), views[place] === view else { return }
        views.remove(at: place)
        outlines.remove(at: place)
        numbers.remove(at: place)
        known[view.id] = nil
        changed.remove(view.id)
    }

    private func place(of id: ViewID) -> Int? {
        guard let number = known[id]?.number else { return nil }
        return numbers.partitionPoint { $0 < number }
    }

    /// Something of a view may be changed from now on, up to the next question.
    mutating func markChanged(_ id: ViewID) { changed.insert(id) }

    /// Takes the outlines anew of views that changed.
    private mutating func refresh() {
        guard !changed.isEmpty else { return }
        for id in changed {
            guard let place = place(of: id) else { continue }
            let view = views[place]
            outlines[place] = Outline(
                sections: view.shownSections, followsAll: view.followsAllUpdates,
                namesItems: view.geometry.kind == .none && view.geometry.isActive, isWaiting: view.isWaiting,
                isOnScreen: view.isOnScreen)
        }
        changed.removeAll(keepingCapacity: true)
    }

    // MARK: Questions

    /// Whether a view is on screen.
    var isOnScreen: Bool {
        mutating get {
            refresh()
            return outlines.contains(where: \.isOnScreen)
        }
    }

    /// Whether a viewer names items.
    var nameItems: Bool {
        mutating get {
            refresh()
            return outlines.contains(where: \.namesItems)
        }
    }

    /// The views that were not sent what they lack, in the order of their opening.
    var waiting: [ListView] {
        mutating get {
            refresh()
            return outlines.indices.filter { outlines[$0].isWaiting }.map { views[$0] }
        }
    }

    /// The views of some names, in the order of their opening.
    func views(of ids: Set<ViewID>) -> [ListView] {
        ids.compactMap { known[$0] }.sorted { $0.number < $1.number }.map(\.view)
    }

    /// The views that an update concerns, in the order of their opening.
    ///
    /// - Parameters:
    ///   - sections: the sections that changed, ascending, in a list whose sections stay where they are.
    ///   - isMoved: whether anything lies elsewhere than before.
    ///   - isRenamed: whether items have other paths than before.
    mutating func views(showing sections: [Int], isMoved: Bool, isRenamed: Bool) -> [ListView] {
        refresh()
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || (outline.namesItems ? isRenamed : isMoved) { return true }
            let next = sections.partitionPoint { $0 < outline.sections.lowerBound }
            return next < sections.count && sections[next] < outline.sections.upperBound
        }.map { views[$0] }
    }
}
