// SPDX-License-Identifier: Apache-2.0

/// The elements that appeared and disappeared in one view by a scroll step or a transaction.
struct DisplayStep {
    /// The elements that appeared.
    var appeared: [ViewElement] = []
    /// The elements that disappeared, as they were before.
    var disappeared: [ViewElement] = []
    /// The sections whose first element appeared.
    var sectionsAppeared: [(section: Int, handle: SectionHandle)] = []
    /// The sections whose last element disappeared, with their old positions.
    var sectionsDisappeared: [(section: Int, handle: SectionHandle)] = []
    /// The sections that entered the working range.
    var entered: [(section: Int, handle: SectionHandle)] = []
    /// The sections that left the working range, with their old positions.
    var exited: [(section: Int, handle: SectionHandle)] = []
    /// The items that entered the working range of a view that counts items.
    var itemsEntered: [WorkingRange.Item] = []
    /// The items that left the working range of a view that counts items, with their old places.
    var itemsExited: [WorkingRange.Item] = []

    /// Sets the elements and sections that appeared and disappeared, by a comparison of the old elements with the new.
    ///
    /// - Parameter forwarding: the mappings of old to new item indexes.
    mutating func setChanges(
        from old: [ViewElement], to new: [ViewElement], forwarding: [SectionHandle: PositionMap]
    ) {
        let present = Set(new.map(\.key))
        var survived: Set<ElementKey> = []
        survived.reserveCapacity(old.count)
        for element in old {
            if let key = element.key.forwarded(by: forwarding), present.contains(key) {
                survived.insert(key)
            } else {
                disappeared.append(element)
            }
        }
        appeared = new.filter { !survived.contains($0.key) }
        sectionsAppeared = DisplayStep.sections(of: new, without: old)
        sectionsDisappeared = DisplayStep.sections(of: old, without: new)
    }

    /// Sets the elements and sections that appeared and disappeared while all sections kept their positions.
    ///
    /// - Returns: `false` if the elements are not in list order. Then nothing is set.
    /// - Complexity: O(elements + changed sections · log elements).
    mutating func setChanges(scrollingFrom old: [ViewElement], to new: [ViewElement]) -> Bool {
        guard ViewElement.areInListOrder(old), ViewElement.areInListOrder(new) else { return false }
        var index = 0
        for element in new {
            while index < old.count, ViewElement.isBefore(old[index], element) {
                disappeared.append(old[index])
                index += 1
            }
            if index < old.count, old[index].key == element.key { index += 1 } else { appeared.append(element) }
        }
        disappeared += old[index...]
        sectionsAppeared = DisplayStep.sections(of: appeared, withoutElementIn: old)
        sectionsDisappeared = DisplayStep.sections(of: disappeared, withoutElementIn: new)
        return true
    }

    /// Returns the sections of some elements of which no element is among others, which are in list order.
    private static func sections(
        of elements: [ViewElement], withoutElementIn others: [ViewElement]
    ) -> [(section: Int, handle: SectionHandle)] {
        var sections: [(section: Int, handle: SectionHandle)] = []
        var last: Int?
        for element in elements where element.section != last {
            last = element.section
            let place = others.partitionPoint { $0.section < element.section }
            let isAmongOthers = place < others.count && others[place].section == element.section
            if !isAmongOthers, let handle = element.key.handle { sections.append((element.section, handle)) }
        }
        return sections
    }

    private static func sections(
        of elements: [ViewElement], without others: [ViewElement]
    ) -> [(section: Int, handle: SectionHandle)] {
        var known: Set<SectionHandle> = []
        known.reserveCapacity(others.count + elements.count)
        for element in others { if let handle = element.key.handle { known.insert(handle) } }
        return elements.compactMap { element in
            guard let handle = element.key.handle, known.insert(handle).inserted else { return nil }
            return (element.section, handle)
        }
    }
}
