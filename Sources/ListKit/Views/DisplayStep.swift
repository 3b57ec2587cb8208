// SPDX-License-Identifier: Apache-2.0

/// What appeared and disappeared in one view by a scroll step or a transaction.
struct DisplayStep {
    /// Elements that are new.
    var appeared: [ViewElement] = []
    /// Elements that are gone, as they were.
    var disappeared: [ViewElement] = []
    /// Sections with their first element.
    var sectionsAppeared: [(section: Int, handle: SectionHandle)] = []
    /// Sections without their last one, by their numbers before.
    var sectionsDisappeared: [(section: Int, handle: SectionHandle)] = []
    /// Sections that came into range.
    var entered: [(section: Int, handle: SectionHandle)] = []
    /// Sections that went out of range, by their numbers before.
    var exited: [(section: Int, handle: SectionHandle)] = []

    /// Compares what was shown with what is shown, given how items went.
    mutating func compare(
        _ old: [ViewElement], _ new: [ViewElement], forwarding: [SectionHandle: IndexForwarding]
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

    /// Sections came into range and went out of it.
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
