// SPDX-License-Identifier: Apache-2.0

/// The views of a list in the order in which they were opened. An outline of each view tells whether an update
/// concerns it.
struct ViewTable {
    /// The properties of a view that tell whether an update concerns it.
    private struct Outline {
        /// The sections of which the view shows elements.
        var sections = 0..<0
        /// Whether the view has to process every update.
        var followsAll = true
        /// Whether the viewer refers to items by path, as in the layout `none`.
        var namesItems = false
        /// Whether changes for the viewer are held back.
        var isWaiting = false
        var isOnScreen = true
    }

    /// The views in the order in which they were opened.
    private(set) var views: [ListView] = []
    private var outlines: [Outline] = []
    /// A number for each view in ``views``, ascending in the order of opening.
    private var numbers: [Int] = []
    private var known: [ViewID: (view: ListView, number: Int)] = [:]
    private var lastNumber = 0
    /// The views whose outlines are outdated.
    private var changed: Set<ViewID> = []

    /// The view with an identifier.
    subscript(id: ViewID) -> ListView? { known[id]?.view }

    /// Adds a view whose identifier is not in use.
    mutating func append(_ view: ListView) {
        lastNumber += 1
        views.append(view)
        outlines.append(Outline())
        numbers.append(lastNumber)
        known[view.id] = (view, lastNumber)
        changed.insert(view.id)
    }

    /// Removes a view.
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

    /// Marks the outline of a view as outdated. The view may change until the next query.
    mutating func markChanged(_ id: ViewID) { changed.insert(id) }

    /// Computes outdated outlines again.
    private mutating func updateOutlines() {
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

    // MARK: Queries

    /// Whether any view is on screen.
    var isOnScreen: Bool {
        mutating get {
            updateOutlines()
            return outlines.contains(where: \.isOnScreen)
        }
    }

    /// Whether any viewer refers to items by path, as in the layout `none`.
    var hasViewersNamingItems: Bool {
        mutating get {
            updateOutlines()
            return outlines.contains(where: \.namesItems)
        }
    }

    /// The views whose changes are held back, in the order in which they were opened.
    var waiting: [ListView] {
        mutating get {
            updateOutlines()
            return outlines.indices.filter { outlines[$0].isWaiting }.map { views[$0] }
        }
    }

    /// Returns the views with the given identifiers, in the order in which they were opened.
    func views(of ids: Set<ViewID>) -> [ListView] {
        ids.compactMap { known[$0] }.sorted { $0.number < $1.number }.map(\.view)
    }

    /// Returns the views that an update concerns, in the order in which they were opened. All sections keep their
    /// positions.
    ///
    /// - Parameters:
    ///   - sections: the positions of the changed sections, ascending.
    ///   - framesChanged: whether the update changed any frame in a layout.
    ///   - pathsChanged: whether the update changed any item path.
    mutating func views(showing sections: [Int], framesChanged: Bool, pathsChanged: Bool) -> [ListView] {
        updateOutlines()
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || (outline.namesItems ? pathsChanged : framesChanged) { return true }
            let next = sections.partitionPoint { $0 < outline.sections.lowerBound }
            return next < sections.count && sections[next] < outline.sections.upperBound
        }.map { views[$0] }
    }
}
