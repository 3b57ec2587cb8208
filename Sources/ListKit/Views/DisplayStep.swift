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

    /// Sets the elements and sections that appeared and disappeared, by a comparison of the old elements with the new.
    ///
    /// - Parameter forwarding: the mappings of old to new item indexes.
    mutating func setChanges(
        from old: [ViewElement], to new: [ViewElement], forwarding: [SectionHandle: IndexForwarding]
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

    /// Sets the sections that entered and left the working range.
    mutating func setRanges(
        entered: [(section: Int, handle: SectionHandle)], exited: [(section: Int, handle: SectionHandle)]
    ) {
        self.entered = entered
        self.exited = exited
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
