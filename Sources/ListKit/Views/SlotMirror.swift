// SPDX-License-Identifier: Apache-2.0

/// The elements on the screen of one view, by slot. A program that draws a view needs to keep nothing else.
///
/// Apply the events of a list to the mirror, and draw each element in the widget of its slot:
///
///     var mirror = SlotMirror(view: 1)
///     mirror.apply(try adapter.setViewport(view: 1, seen: 0, rect: viewport).effects)
///     for result in adapter.flushNow() { mirror.apply(result.events) }
///     for item in mirror.items { draw(item) }
///
/// After each change, ``items`` are equal to those of ``ListAdapter/resync(view:)``.
public struct SlotMirror: Sendable, Hashable {
    /// The result of applying a change.
    public enum Outcome: Sendable, Hashable {
        /// The change was applied.
        case applied
        /// The change is about another view, or was already applied.
        case ignored
        /// An earlier change is missing, so the mirror was not changed. Pass the result of
        /// ``ListAdapter/resync(view:)`` to ``SlotMirror/replace(with:)``.
        case gap
    }

    /// The identifier of the view.
    public let view: ViewID
    /// The sequence of the last applied change; 0 = no change was applied.
    public private(set) var sequence: UInt64 = 0
    /// The revision of the list that the last applied change shows.
    public private(set) var revision: UInt64 = 0
    /// The size of the whole content.
    public private(set) var contentSize = Size.zero
    /// The origin of the viewport when the last change was made. Later movements that led to no change are not
    /// included.
    public private(set) var offset = Point.zero
    /// How far the list has moved the viewport, in all changes together. A program that scrolls by itself is at the sum of
    /// its own movements and of this distance, whatever ``offset`` is.
    public private(set) var shift = Point.zero
    /// Where the sticky elements travel, by slot.
    public private(set) var sticky: [SlotNumber: PictureChange.Sticky] = [:]
    /// A distance that is added to the edge of the viewport for sticky elements.
    public private(set) var stickyEdge = 0.0
    /// The elements by slot.
    public private(set) var slots: [SlotNumber: PictureItem] = [:]

    /// Makes the mirror of a view that has not been sent a change yet.
    public init(view: ViewID) { self.view = view }

    /// The elements, ordered by section, header first and footer last, as in a ``Picture``.
    ///
    /// - Complexity: O(n log n), where n is the number of elements shown.
    public var items: [PictureItem] { slots.values.sorted { $0.order < $1.order } }

    /// Returns the frame of an element while the viewport is at an origin: a sticky element travels along with the
    /// viewport, so that a program that scrolls by itself need not ask for its place.
    public func frame(of item: PictureItem, at origin: Point, _ direction: ScrollDirection = .vertical) -> Rect {
        guard let way = sticky[item.slot] else { return item.frame }
        let position = way.position(atEdge: direction.along(origin) + stickyEdge)
        return Rect(origin: direction.replacing(position, in: item.frame.origin), size: item.frame.size)
    }

    /// Applies the changes of the mirrored view that are among some events.
    ///
    /// - Returns: ``Outcome/gap`` if a change was missing, else ``Outcome/applied`` if a change was applied, else
    ///   ``Outcome/ignored``.
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
    /// - Complexity: O(1) for each element in the change.
    @discardableResult
    public mutating func apply(_ change: PictureChange) -> Outcome {
        guard change.view == view, change.sequence > sequence else { return .ignored }
        guard change.sequence == sequence + 1 else { return .gap }
        for slot in change.released { (slots[slot], sticky[slot]) = (nil, nil) }
        for item in change.shown { slots[item.slot] = item }
        for place in change.placed { slots[place.slot]?.move(to: place) }
        for rebinding in change.rebound { slots[rebinding.slot]?.content = rebinding.content }
        (sequence, revision) = (change.sequence, change.revision)
        (contentSize, offset) = (change.contentSize, change.offset)
        for way in change.sticky { sticky[way.slot] = way }
        (shift, stickyEdge) = (shift + change.shift, change.stickyEdge)
        return .applied
    }

    /// Replaces all elements with a picture that ``ListAdapter/resync(view:)`` returned.
    public mutating func replace(with picture: Picture) {
        slots = Dictionary(picture.items.map { ($0.slot, $0) }) { $1 }
        (sequence, revision) = (picture.sequence, picture.revision)
        (contentSize, offset) = (picture.contentSize, picture.offset)
        sticky = Dictionary(picture.sticky.map { ($0.slot, $0) }) { $1 }
        (shift, stickyEdge) = (shift + picture.shift, picture.stickyEdge)
    }
}

extension PictureItem {
    /// Moves the element to another section, item index and frame.
    fileprivate mutating func move(to place: PictureChange.Placement) {
        (section, item) = (place.section, place.item)
        (frame, z) = (place.frame, place.z)
    }
}
