// SPDX-License-Identifier: Apache-2.0

/// The views of a list in the order of their opening, and what an update has to know of each to pass most of them over.
struct ViewTable {
    /// What an update has to know of a view.
    private struct Outline: Equatable {
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
    /// The views whose outlines are out of date.
    private var changed: Set<ViewID> = []
    /// The sections that views show, for the views that need not follow every update.
    private var shownSections = ShownSections()
    /// The numbers of the views that follow every update.
    private var allFollowers: Set<Int> = []
    /// The number of views whose viewer names items.
    private var namingViewCount = 0
    /// The number of views that are on screen.
    private var onScreenCount = 0

    /// A view by its name.
    subscript(id: ViewID) -> ListView? { known[id]?.view }

    /// Adds a view whose name is not in use.
    mutating func append(_ view: ListView) {
        lastNumber += 1
        views.append(view)
        outlines.append(Outline())
        count(Outline(), ofView: lastNumber)
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
        let number = numbers.remove(at: place)
        discount(outlines.remove(at: place), ofView: number)
        known[view.id] = nil
        changed.remove(view.id)
    }

    private func place(of id: ViewID) -> Int? {
        guard let number = known[id]?.number else { return nil }
        return numbers.partitionPoint { $0 < number }
    }

    /// Something of a view may be changed from now on, up to the next question.
    mutating func markChanged(_ id: ViewID) { changed.insert(id) }

    /// Brings the outlines of changed views up to date.
    private mutating func refresh() {
        guard !changed.isEmpty else { return }
        for id in changed {
            guard let place = place(of: id) else { continue }
            let view = views[place]
            let outline = Outline(
                sections: view.shownSections, followsAll: view.followsAllUpdates,
                namesItems: view.geometry.kind == .none && view.geometry.isActive, isWaiting: view.isWaiting,
                isOnScreen: view.isOnScreen)
            guard outline != outlines[place] else { continue }
            discount(outlines[place], ofView: numbers[place])
            count(outline, ofView: numbers[place])
            outlines[place] = outline
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Adds a view's outline to the counts and to the index of sections.
    private mutating func count(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount += 1 }
        if outline.isOnScreen { onScreenCount += 1 }
        if outline.followsAll {
            allFollowers.insert(number)
        } else {
            shownSections.insert(outline.sections, ofView: number)
        }
    }

    /// Removes a view's outline from the counts and from the index of sections.
    private mutating func discount(_ outline: Outline, ofView number: Int) {
        if outline.namesItems { namingViewCount -= 1 }
        if outline.isOnScreen { onScreenCount -= 1 }
        if outline.followsAll {
            allFollowers.remove(number)
        } else {
            shownSections.remove(outline.sections, ofView: number)
        }
    }

    // MARK: Questions

    /// Whether a view is on screen.
    var isOnScreen: Bool {
        mutating get {
            refresh()
            return onScreenCount > 0
        }
    }

    /// Whether a viewer names items.
    var nameItems: Bool {
        mutating get {
            refresh()
            return namingViewCount > 0
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
    /// - Complexity: O(changed sections · views near them), and O(views) when anything moved or when more sections changed
    ///   than there are views.
    mutating func views(showing sections: [Int], isMoved: Bool, isRenamed: Bool) -> [ListView] {
        refresh()
        guard isMoved || isRenamed && namingViewCount > 0 || sections.count > views.count else {
            var found = allFollowers
            for section in sections { shownSections.insertViews(showing: section, into: &found) }
            return found.sorted().map { number in views[numbers.partitionPoint { $0 < number }] }
        }
        return outlines.indices.filter { place in
            let outline = outlines[place]
            if outline.followsAll || (outline.namesItems ? isRenamed : isMoved) { return true }
            let next = sections.partitionPoint { $0 < outline.sections.lowerBound }
            return next < sections.count && sections[next] < outline.sections.upperBound
        }.map { views[$0] }
    }
}
