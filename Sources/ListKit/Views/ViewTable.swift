// SPDX-License-Identifier: Apache-2.0

/// The views of a list in the order in which they were opened. An outline of each view shows whether an update
/// concerns the view.
struct ViewTable {
    /// The properties of a view that show whether an update concerns the view.
    private struct Outline: Equatable {
        /// The sections whose changes concern the view.
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
    /// The sections that views show, for the views that need not follow every update.
    private var shownSections = ShownSections()
    /// The numbers of the views that follow every update.
    private var allFollowers: Set<Int> = []
    /// The number of views whose viewer names items.
    private var namingViewCount = 0
    /// The number of views that are on screen.
    private var onScreenCount = 0

    /// The view with an identifier.
    subscript(id: ViewID) -> ListView? { known[id]?.view }

    /// Adds a view whose identifier is not in use.
    mutating func append(_ view: ListView) {
        lastNumber += 1
        views.append(view)
        outlines.append(Outline())
        addToIndex(Outline(), ofView: lastNumber)
        numbers.append(lastNumber)
        known[view.id] = (view, lastNumber)
        changed.insert(view.id)
    }

    /// Removes a view.
    ///
    /// - Complexity: O(views).
    mutating func remove(_ view: ListView) {
        guard let place = index(of: view.id), views[place] === view else { return }
        views.remove(at: place)
        let number = numbers.remove(at: place)
        removeFromIndex(outlines.remove(at: place), ofView: number)
        known[view.id] = nil
        changed.remove(view.id)
    }

    private func index(of id: ViewID) -> Int? {
        guard let number = known[id]?.number else { return nil }
        return numbers.partitionPoint { $0 < number }
    }

    /// Marks the outline of a view as outdated. The view may change until the next query.
    mutating func markChanged(_ id: ViewID) { changed.insert(id) }

    /// Computes outdated outlines again.
    private mutating func updateOutlines() {
        guard !changed.isEmpty else { return }
        for id in changed {
            guard let place = index(of: id) else { continue }
            let view = views[place]
            let outline = Outline(
                sections: view.followedSections, followsAll: view.followsAllUpdates,
                namesItems: view.geometry.kind == .none && view.geometry.isActive, isWaiting: view.isWaiting,
                isOnScreen: view.isOnScreen)
            guard outline != outlines[place] else { continue }
            removeFromIndex(outlines[place], ofView: numbers[place])
            addToIndex(outline, ofView: numbers[place])
            outlines[place] = outline
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Adds a view's outline to the counts and to the index of sections.
    private mutating func addToIndex(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount += 1 }
        if outline.isOnScreen { onScreenCount += 1 }
        if outline.followsAll {
            allFollowers.insert(number)
        } else {
            shownSections.insert(outline.sections, ofView: number)
        }
    }

    /// Removes a view's outline from the counts and from the index of sections.
    private mutating func removeFromIndex(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount -= 1 }
        if outline.isOnScreen { onScreenCount -= 1 }
        if outline.followsAll {
            allFollowers.remove(number)
        } else {
            shownSections.remove(outline.sections, ofView: number)
        }
    }

    // MARK: Queries

    /// Whether any view is on screen.
    var isOnScreen: Bool {
        mutating get {
            updateOutlines()
            return onScreenCount > 0
        }
    }

    /// Whether any view is off screen.
    var hasViewsOffScreen: Bool {
        mutating get {
            updateOutlines()
            return onScreenCount < views.count
        }
    }

    /// Whether any viewer refers to items by path, as in the layout `none`.
    var hasViewersNamingItems: Bool {
        mutating get {
            updateOutlines()
            return namingViewCount > 0
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

    /// Returns the views that an update concerns, in the order in which they were opened. Call this only if all
    /// sections keep their positions in the update.
    ///
    /// - Parameters:
    ///   - sections: the positions of the changed sections, ascending.
    ///   - framesChanged: whether the update changed any frame in a layout.
    ///   - pathsChanged: whether the update changed any item path.
    /// - Complexity: O(changed sections · views near them). O(views) if frames changed or if more sections changed than
    ///   there are views.
    mutating func views(showing sections: [Int], framesChanged: Bool, pathsChanged: Bool) -> [ListView] {
        updateOutlines()
        guard framesChanged || pathsChanged && namingViewCount > 0 || sections.count > views.count else {
            var found = allFollowers
            for section in sections { shownSections.insertViews(showing: section, into: &found) }
            return found.sorted().map { number in views[numbers.partitionPoint { $0 < number }] }
        }
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || (outline.namesItems ? pathsChanged : framesChanged) { return true }
            let next = sections.partitionPoint { $0 < outline.sections.lowerBound }
            return next < sections.count && sections[next] < outline.sections.upperBound
        }.map { views[$0] }
    }
}
