// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The viewers' calls that a list refuses because a similar call has killed a worker.
///
/// It has no side effects. From the call, the callback and the object of a death it derives which calls would lead to
/// the same callback on the same object. These are refused until the object or the plugin changes. Calls that name an
/// object are compared exactly. Viewports are compared only by the part that the previous viewport did not show.
struct CallbackRefusals: Sendable {
    /// The kind of call that is refused for an object.
    fileprivate enum Refused: Sendable, Equatable {
        case select(Bool)
        case highlight
        case action
        case measure
        case move
        /// A query for items of a range of sections that contains the object's section.
        case items
        /// A visible range that contains the object's section, or that has exactly these ends.
        case range(first: IndexPath, last: IndexPath)
        /// A phase of scrolling, in a view that shows the object.
        case phase(ScrollPhase)
        /// Scrolling to an item of the object.
        case scroll(item: Int, ScrollPosition)
        /// A viewport that has the width or the height of this rectangle, and covers it.
        case viewport(Rect)
    }

    fileprivate struct Entry: Sendable {
        let refused: Refused
        /// The identifier of the object that the call names.
        let named: String
        /// The identifier of the object in whose callback the worker died.
        let blamed: String
        let reason: String
    }

    /// The maximum number of entries. Beyond it, the oldest entry is removed.
    static let mostEntries = 256

    private var entries: [Entry] = []

    init() {}

    /// Whether no call is refused.
    var isEmpty: Bool { entries.isEmpty }

    /// Refuses calls from now on that are similar to a call of which a worker died. Does nothing for a kind of call
    /// that is never refused.
    ///
    /// - Parameters:
    ///   - command: the call of which the worker died.
    ///   - object: the object in whose callback the worker died.
    ///   - reason: the callback, for messages.
    ///   - viewport: the viewport of the view before the call.
    mutating func add(_ command: PresenterOrder, dyingOn object: String, in reason: String, viewport: Rect?) {
        guard let (refused, named) = Self.kind(of: command, dyingOn: object, viewport: viewport) else { return }
        entries.removeAll { $0.refused == refused && $0.named == named }
        if entries.count == Self.mostEntries { entries.removeFirst() }
        entries.append(Entry(refused: refused, named: named, blamed: object, reason: reason))
    }

    /// Returns the kind of call to refuse after a worker died of a call, and the object that such a call names.
    private static func kind(
        of command: PresenterOrder, dyingOn object: String, viewport: Rect?
    ) -> (Refused, named: String)? {
        switch command {
        case .view(_, _, .select(let id, _, let isSelected)): (.select(isSelected), id)
        case .view(_, _, .changeSelection(let select, let deselect)):
            if select.contains(where: { $0.objectID == object }) {
                (.select(true), object)
            } else if deselect.contains(where: { $0.objectID == object }) {
                (.select(false), object)
            } else {
                nil
            }
        case .view(_, _, .setHighlighted(let id, _, _)): (.highlight, id)
        case .view(_, _, .invoke(let id, _, _, _)): (.action, id)
        case .view(_, _, .scrollTo(let id, let item, let position)): (.scroll(item: item, position), id)
        case .view(_, _, .reportSizes): (.measure, object)
        case .view(_, _, .setVisibleRange(_, let first, let last, _, _)): (.range(first: first, last: last), object)
        case .view(_, _, .reportScroll(let phase)): (.phase(phase), object)
        case .view(_, _, .setViewport(_, let rect, _)): (.viewport(rect.part(newSince: viewport)), object)
        case .query(_, .items): (.items, object)
        case .moveItem: (.move, object)
        case .view(_, _, .acknowledge), .view(_, _, .resync), .view(_, _, .close), .view(_, _, .setOnScreen), .query,
            .openView, .closeView, .open, .present, .objects, .hold, .allowChanges:
            nil
        }
    }

    /// Returns the error for a call that is refused; nil = the call may be sent.
    ///
    /// - Parameters:
    ///   - position: finds the section of an object.
    ///   - isShown: whether a view displays a part of an object.
    /// - Complexity: O(number of entries) calls of `position`.
    func refusal(
        of command: PresenterOrder, position: (String) -> Int?, isShown: (ViewID, String) -> Bool
    ) -> ListError? {
        guard let entry = entries.first(where: { $0.matches(command, position: position, isShown: isShown) }) else {
            return nil
        }
        return ListError(
            .pluginFailed,
            "the plugin's worker died in \(entry.reason); the call is refused until the object or the plugin changes")
    }

    /// Removes all refusals, as the list has another plugin or another version of its plugin.
    mutating func removeAll() { entries = [] }

    /// The identifiers of all objects in the entries.
    var objects: Set<String> { Set(entries.flatMap { [$0.named, $0.blamed] }) }

    /// Removes refusals that a change of the list makes obsolete.
    ///
    /// - Parameter changed: the identifiers among ``objects`` whose objects were changed or removed.
    mutating func removeObsolete(changed: Set<String>) {
        entries.removeAll { entry in
            // The positions of all objects may have changed.
            if case .viewport = entry.refused { return true }
            return changed.contains(entry.named) || changed.contains(entry.blamed)
        }
    }
}

extension CallbackRefusals.Entry {
    fileprivate func matches(
        _ command: PresenterOrder, position: (String) -> Int?, isShown: (ViewID, String) -> Bool
    ) -> Bool {
        switch refused {
        case .select(let flag):
            if case .view(_, _, .changeSelection(let select, let deselect)) = command {
                (flag ? select : deselect).contains { $0.objectID == named }
            } else if case .view(_, _, .select(named, _, flag)) = command {
                true
            } else {
                false
            }
        case .highlight:
            if case .view(_, _, .setHighlighted(named, _, _)) = command { true } else { false }
        case .action:
            if case .view(_, _, .invoke(named, _, _, _)) = command { true } else { false }
        case .measure:
            if case .view(_, _, .reportSizes(let sizes)) = command {
                sizes.contains { $0.objectID == named }
            } else {
                false
            }
        case .scroll(let item, let position):
            if case .view(_, _, .scrollTo(named, item, position)) = command { true } else { false }
        case .range(let refusedFirst, let refusedLast):
            if case .view(_, _, .setVisibleRange(_, let first, let last, _, _)) = command {
                (first == refusedFirst && last == refusedLast)
                    || isAmong(sections: first.section, through: last.section, position: position)
            } else {
                false
            }
        case .phase(let phase):
            if case .view(_, let view, .reportScroll(phase)) = command { isShown(view, named) } else { false }
        case .items:
            if case .query(_, .items(let first, let count, _, _)) = command {
                isAmong(sections: first, through: first + count - 1, position: position)
            } else {
                false
            }
        case .move:
            if case .moveItem(let move) = command {
                isAmong(sections: move.from.section, through: move.from.section, position: position)
                    || isAmong(sections: move.to.section, through: move.to.section, position: position)
            } else {
                false
            }
        case .viewport(let new):
            if case .view(_, _, .setViewport(_, let rect, _)) = command {
                (rect.size.width == new.size.width || rect.size.height == new.size.height) && rect.covers(new)
            } else {
                false
            }
        }
    }

    /// Whether the section of the named object is in a range of sections.
    private func isAmong(sections first: Int, through last: Int, position: (String) -> Int?) -> Bool {
        position(named).map { first <= $0 && $0 <= last } ?? false
    }
}

extension Rect {
    /// Returns the part of a viewport that the previous viewport did not show. The part is the whole viewport, unless
    /// both viewports have the same size, overlap, and are shifted along one axis only.
    fileprivate func part(newSince previous: Rect?) -> Rect {
        guard let previous, size == previous.size, self != previous else { return self }
        let (down, right) = (origin.y - previous.origin.y, origin.x - previous.origin.x)
        if right == 0, abs(down) < size.height {
            let y = down > 0 ? previous.maxY : origin.y
            return Rect(x: origin.x, y: y, width: size.width, height: abs(down))
        }
        if down == 0, abs(right) < size.width {
            let x = right > 0 ? previous.maxX : origin.x
            return Rect(x: x, y: origin.y, width: abs(right), height: size.height)
        }
        return self
    }

    /// Whether all of a rectangle lies in this one.
    fileprivate func covers(_ other: Rect) -> Bool {
        minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY
    }
}
