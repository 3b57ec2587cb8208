// SPDX-License-Identifier: Apache-2.0

/// The selected items of a list, in list order, as clients were told of them.
///
/// They are kept in parts, of which copies share those that are the same. So whoever keeps the items that were announced
/// last does not make the next announcement copy all of them.
@_spi(Daemon) @frozen public struct SelectedItems: Sendable {
    /// The items in order; no part is empty.
    private(set) var parts: [[SelectedItem]]
    /// The number of items.
    public private(set) var count: Int

    /// The number of items in a new part. A part that has grown to twice as many is divided.
    private static let partSize = 128

    /// Keeps items, which must be in list order.
    public init(_ items: [SelectedItem]) {
        count = items.count
        parts = stride(from: 0, to: items.count, by: Self.partSize).map { start in
            Array(items[start..<Swift.min(start + Self.partSize, items.count)])
        }
    }

    /// Applies a change.
    ///
    /// - Parameter position: returns the section of an object.
    /// - Returns: `false` if the change does not fit; the items are then wrong.
    /// - Complexity: O(changed · log selected) calls of `position`; one part is copied for each changed item.
    mutating func apply(_ change: SelectionChange, position: (String) -> Int?) -> Bool {
        for item in change.deselected {
            guard let place = place(of: item, position), place.isTaken else { return false }
            parts[place.part].remove(at: place.index)
            if parts[place.part].isEmpty { parts.remove(at: place.part) }
            count -= 1
        }
        for item in change.selected {
            guard let place = place(of: item, position) else { return false }
            if !place.isTaken { insert(item, at: place.index, inPart: place.part) }
        }
        return true
    }

    private mutating func insert(_ item: SelectedItem, at index: Int, inPart part: Int) {
        count += 1
        guard !parts.isEmpty else { return parts.append([item]) }
        parts[part].insert(item, at: index)
        guard parts[part].count >= 2 * Self.partSize else { return }
        let behind = Array(parts[part][Self.partSize...])
        parts[part].removeSubrange(Self.partSize...)
        parts.insert(behind, at: part + 1)
    }

    /// Returns the place of an item in the list's order, and whether it is there; `nil` if an object is not in the list.
    private func place(
        of item: SelectedItem, _ position: (String) -> Int?
    ) -> (part: Int, index: Int, isTaken: Bool)? {
        guard let section = position(item.objectID) else { return nil }
        var (isTaken, isUnknown) = (false, false)
        func precedes(_ other: SelectedItem) -> Bool {
            guard let place = position(other.objectID) else {
                isUnknown = true
                return false
            }
            if (place, other.item) == (section, item.item) { isTaken = true }
            return (place, other.item) < (section, item.item)
        }
        // The first part whose last item is not before the item.
        let part = parts.partitionPoint { precedes($0[$0.count - 1]) }
        let index = part < parts.count ? parts[part].partitionPoint(where: precedes) : parts.last?.count ?? 0
        return isUnknown ? nil : (Swift.min(part, Swift.max(0, parts.count - 1)), index, isTaken)
    }
}

@_spi(Daemon) extension SelectedItems: Sequence {
    /// Returns an iterator over the items, in list order.
    public func makeIterator() -> FlattenSequence<[[SelectedItem]]>.Iterator { parts.joined().makeIterator() }
}

@_spi(Daemon) extension SelectedItems: Equatable {
    /// Whether both have the same items.
    public static func == (left: SelectedItems, right: SelectedItems) -> Bool {
        left.count == right.count && left.parts.joined().elementsEqual(right.parts.joined())
    }
}

@_spi(Daemon) extension SelectedItems: ExpressibleByArrayLiteral {
    /// Keeps items, which must be in list order.
    public init(arrayLiteral items: SelectedItem...) { self.init(items) }
}
