// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The calls of viewers for which the plugin of a list is no longer called, because a worker died of them.
///
/// Pure: given the call, the callback and the object of which a worker died, it refuses calls that would lead to the
/// same callback on the same object, until that object or the plugin changes. Calls that name an object are compared
/// exactly; of a viewport only the part counts that was new.
struct CallbackRefusals: Sendable {
    /// The refused callback, for an object.
    fileprivate enum Refused: Sendable, Equatable {
        case select(Bool)
        case highlight
        case action
        case measure
        case move
        /// Items of a range of sections that the object's is in.
        case items
        /// The same, to be shown; or whatever these ends bring into view.
        case range(first: IndexPath, last: IndexPath)
        /// A phase of scrolling, in a view that shows the object.
        case phase(ScrollPhase)
        /// An item of the object that is scrolled to.
        case scroll(item: Int, ScrollPosition)
        /// Whatever viewport of this width, or height, shows all of this.
        case viewport(Rect)
    }

    fileprivate struct Entry: Sendable {
        let refused: Refused
        /// The object that the caller names, and the one whose callback it was.
        let named: String
        let blamed: String
        let reason: String
    }

    /// How many are remembered; of more, the oldest is forgotten.
    static let mostEntries = 256

    private var entries: [Entry] = []

    /// Nothing is refused.
    init() {}

    /// Whether nothing is refused.
    var isEmpty: Bool { entries.isEmpty }

    /// A worker died of a call; of a kind that must not be refused, nothing is noted.
    ///
    /// - Parameters:
    ///   - command: the call.
    ///   - object: the object that the plugin was called for.
    ///   - reason: the callback, for people.
    ///   - viewport: what the view showed before.
    mutating func add(_ command: AdapterCommand, dyingOn object: String, in reason: String, viewport: Rect?) {
        guard let (refused, named) = Self.refused(by: command, object, viewport) else { return }
        entries.removeAll { $0.refused == refused && $0.named == named }
        if entries.count == Self.mostEntries { entries.removeFirst() }
        entries.append(Entry(refused: refused, named: named, blamed: object, reason: reason))
    }

    private static func refused(
        by command: AdapterCommand, _ object: String, _ viewport: Rect?
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
        case .view(_, _, .setVisibleRange(_, let first, let last)): (.range(first: first, last: last), object)
        case .view(_, _, .reportScroll(let phase)): (.phase(phase), object)
        case .view(_, _, .setViewport(_, let rect)): (.viewport(rect.new(since: viewport)), object)
        case .query(_, .items): (.items, object)
        case .update(let request): if case .moveItem = request.operation { (.move, object) } else { nil }
        case .view(_, _, .acknowledge), .view(_, _, .resync), .view(_, _, .close), .view(_, _, .setOnScreen), .query,
            .openView, .closeView, .configure, .hold, .keep, .stored, .stop:
            nil
        }
    }

    /// Why a call is refused; nil = it is not.
    ///
    /// - Parameters:
    ///   - position: finds the section of an object.
    ///   - isShown: whether a view shows something of an object.
    /// - Complexity: O(number of entries) searches.
    func refusal(
        of command: AdapterCommand, position: (String) -> Int?, isShown: (ViewID, String) -> Bool
    ) -> ListError? {
        guard let entry = entries.first(where: { $0.matches(command, position, isShown) }) else { return nil }
        return ListError(
            .pluginFailed,
            "the plugin's worker died in \(entry.reason); this is not asked again until the object or the plugin changes"
        )
    }

    /// Another plugin is asked, or another version of it: nothing is refused.
    mutating func removeAll() { entries = [] }

    /// The objects with a refused callback.
    var objects: Set<String> { Set(entries.flatMap { [$0.named, $0.blamed] }) }

    /// The list has changed.
    ///
    /// - Parameter changed: those of ``objects`` that are not what they were.
    mutating func listChanged(_ changed: Set<String>) {
        entries.removeAll { entry in
            // The positions of all objects may have changed.
            if case .viewport = entry.refused { return true }
            return changed.contains(entry.named) || changed.contains(entry.blamed)
        }
    }
}

extension CallbackRefusals.Entry {
    fileprivate func matches(
        _ command: AdapterCommand, _ position: (String) -> Int?, _ isShown: (ViewID, String) -> Bool
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
            if case .view(_, _, .setVisibleRange(_, let first, let last)) = command {
                (first == refusedFirst && last == refusedLast) || isAmong(first.section, last.section, position)
            } else {
                false
            }
        case .phase(let phase):
            if case .view(_, let view, .reportScroll(phase)) = command { isShown(view, named) } else { false }
        case .items:
            if case .query(_, .items(let first, let count, _)) = command {
                isAmong(first, first + count - 1, position)
            } else {
                false
            }
        case .move:
            if case .update(let request) = command, case .moveItem(let source, let target) = request.operation {
                isAmong(source.section, source.section, position)
                    || isAmong(target.section, target.section, position)
            } else {
                false
            }
        case .viewport(let new):
            if case .view(_, _, .setViewport(_, let rect)) = command {
                (rect.size.width == new.size.width || rect.size.height == new.size.height) && rect.covers(new)
            } else {
                false
            }
        }
    }

    private func isAmong(_ first: Int, _ last: Int, _ position: (String) -> Int?) -> Bool {
        position(named).map { first <= $0 && $0 <= last } ?? false
    }
}

extension Rect {
    /// What of a viewport was not shown by the one before: all of it, unless that had the same size and lay on the same line.
    fileprivate func new(since other: Rect?) -> Rect {
        guard let other, size == other.size, self != other else { return self }
        let (down, right) = (origin.y - other.origin.y, origin.x - other.origin.x)
        if right == 0, abs(down) < size.height {
            let y = down > 0 ? other.maxY : origin.y
            return Rect(x: origin.x, y: y, width: size.width, height: abs(down))
        }
        if down == 0, abs(right) < size.width {
            let x = right > 0 ? other.maxX : origin.x
            return Rect(x: x, y: origin.y, width: abs(right), height: size.height)
        }
        return self
    }

    /// Whether all of a rectangle lies in this one.
    fileprivate func covers(_ other: Rect) -> Bool {
        minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY
    }
}
