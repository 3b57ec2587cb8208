// SPDX-License-Identifier: Apache-2.0

/// What is on the screen of one view, slot by slot: what a program keeps that draws a view (and nothing else has to).
///
/// A value that follows the events of a list; each element is drawn in the widget of its slot:
///
///     var mirror = SlotMirror(view: 1)
///     mirror.apply(try adapter.setViewport(view: 1, seen: 0, rect: viewport).effects)
///     for result in adapter.flushNow() { mirror.apply(result.events) }
///     for item in mirror.items { draw(item) }
///
/// After each change ``items`` are those of ``ListAdapter/resync(view:)``.
public struct SlotMirror: Sendable, Hashable {
    /// What became of a change.
    public enum Outcome: Sendable, Hashable {
        /// It was applied.
        case applied
        /// It is about another view, or is in the mirror already.
        case ignored
        /// A change before it is missing, so the mirror stays as it is: take ``ListAdapter/resync(view:)``
        /// (``SlotMirror/replace(with:)``).
        case gap
    }

    /// The view.
    public let view: ViewID
    /// The sequence of the last change; 0 = there was none.
    public private(set) var sequence: UInt64 = 0
    /// The revision of the list that the last change shows.
    public private(set) var revision: UInt64 = 0
    /// The extent of the whole content.
    public private(set) var contentSize = Size.zero
    /// Where the viewport lay when the last change was made; a viewport that moved since then without a change is not in it.
    public private(set) var offset = Point.zero
    /// The elements by slot.
    public private(set) var slots: [SlotNumber: PictureItem] = [:]

    /// Makes the mirror of a view that was not sent anything yet.
    public init(view: ViewID) { self.view = view }

    /// The elements, ordered by section, header first and footer last, as in a ``Picture``.
    ///
    /// - Complexity: O(n log n) in what is shown.
    public var items: [PictureItem] { slots.values.sorted { $0.order < $1.order } }

    /// Applies the changes of the view among some events.
    ///
    /// - Returns: ``Outcome/gap`` if a change was missing, else ``Outcome/applied`` if there was one to apply.
    @discardableResult
    public mutating func apply(_ events: some Sequence<AdapterEvent>) -> Outcome {
        var outcome = Outcome.ignored
        for case .picture(let change) in events {
            switch apply(change) {
            case .applied: outcome = .applied
            case .ignored: break
            case .gap: return .gap
            }
        }
        return outcome
    }

    /// Applies one change: releases, shows, places and rebinds elements.
    ///
    /// - Complexity: O(1) for each element in it.
    @discardableResult
    public mutating func apply(_ change: PictureChange) -> Outcome {
        guard change.view == view, change.sequence > sequence else { return .ignored }
        guard change.sequence == sequence + 1 else { return .gap }
        for slot in change.released { slots[slot] = nil }
        for item in change.shown { slots[item.slot] = item }
        for place in change.placed { slots[place.slot]?.move(to: place) }
        for rebinding in change.rebound { slots[rebinding.slot]?.content = rebinding.content }
        (sequence, revision) = (change.sequence, change.revision)
        (contentSize, offset) = (change.contentSize, change.offset)
        return .applied
    }

    /// Takes over everything that the view shows, as ``ListAdapter/resync(view:)`` answers it.
    public mutating func replace(with picture: Picture) {
        slots = Dictionary(picture.items.map { ($0.slot, $0) }) { $1 }
        (sequence, revision) = (picture.sequence, picture.revision)
        (contentSize, offset) = (picture.contentSize, picture.offset)
    }
}

extension PictureItem {
    /// Where it stands among the elements of a picture.
    fileprivate var order: (section: Int, kind: Int, item: Int) {
        switch kind {
        case .header: (section, 0, item)
        case .cell: (section, 1, item)
        case .footer: (section, 2, item)
        }
    }

    /// Shows the same in another place.
    fileprivate mutating func move(to place: PictureChange.Placement) {
        (section, item) = (place.section, place.item)
        (frame, z) = (place.frame, place.z)
    }
}
