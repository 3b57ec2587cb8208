// SPDX-License-Identifier: Apache-2.0

extension ListLayout {
    /// How many sections the list has.
    public var numberOfSections: Int {
        switch engine {
        case .flow(let flow): flow.numberOfSections
        case .absolute(let absolute): absolute.numberOfSections
        case .none: 0
        }
    }

    /// How many items a section has; nil past the end.
    public func itemCount(ofSection section: Int) -> Int? {
        switch engine {
        case .flow(let flow): flow.itemCount(ofSection: section)
        case .absolute(let absolute): absolute.itemCount(ofSection: section)
        case .none: nil
        }
    }

    /// The size of the whole content, in points; zero without sections.
    ///
    /// Layout `flow`: the container less the content inset, by the end of the last section with its trailing inset
    /// (rule LY-46). Layout `absolute`: what all items with an area reach from the origin.
    public var contentSize: Size {
        switch engine {
        case .flow(let flow): flow.contentSize
        case .absolute(let absolute): absolute.contentSize
        case .none: .zero
        }
    }

    /// Everything whose frame overlaps a rectangle with area.
    ///
    /// Layout `flow`: section by section, header, items, footer; `origin` is the viewport's, where headers stick, and
    /// `rect` may be larger than the viewport. Layout `absolute`: by z, then by path.
    /// O(log n + what overlaps).
    public func attributes(in rect: Rect, origin: Point) -> [LayoutAttributes] {
        switch engine {
        case .flow(let flow): flow.attributes(in: rect, origin: origin)
        case .absolute(let absolute): absolute.attributes(in: rect)
        case .none: []
        }
    }

    /// Where an item lies; nil if there is none at the path. O(log n).
    public func attributes(ofItem path: IndexPath) -> LayoutAttributes? {
        switch engine {
        case .flow(let flow): flow.attributes(ofItem: path)
        case .absolute(let absolute): absolute.attributes(ofItem: path)
        case .none: nil
        }
    }

    /// Where a section's header or footer lies; nil if it has none.
    ///
    /// With the viewport's origin a sticky header is where it sticks, without it at rest. O(log n).
    public func attributes(of kind: ElementKind, section: Int, origin: Point? = nil) -> LayoutAttributes? {
        switch engine {
        case .flow(let flow): flow.attributes(of: kind, section: section, origin: origin)
        case .absolute, .none: nil
        }
    }

    /// The item at a point; the right and bottom edges of a frame do not belong to it.
    ///
    /// Layout `flow`: the first by path. Layout `absolute`: the uppermost.
    public func item(at point: Point) -> IndexPath? {
        switch engine {
        case .flow(let flow): flow.item(at: point)
        case .absolute(let absolute): absolute.item(at: point)
        case .none: nil
        }
    }

    /// The first and the last section whose bounds overlap a rectangle, nil if none does (rule LY-45).
    public func sections(in rect: Rect) -> ClosedRange<Int>? {
        switch engine {
        case .flow(let flow): return flow.sections(in: flow.rules.frame(rect))
        case .absolute(let absolute):
            let sections = absolute.attributes(in: rect).map(\.path.section)
            guard let first = sections.min(), let last = sections.max() else { return nil }
            return first...last
        case .none: return nil
        }
    }

    /// Whether ``attributes(in:origin:)`` answers section by section, header first and footer last.
    var ordersBySection: Bool {
        switch engine {
        case .flow, .none: true
        case .absolute: false
        }
    }
}
