// SPDX-License-Identifier: Apache-2.0

/// An index from sections to the views that show them.
///
/// It finds the views of a changed section without visiting the other views. Sections are grouped in buckets of 64. A
/// view that spans more than 16 buckets is kept in a list that each lookup scans.
struct ShownSections {
    private static let bucketSize = 64
    private static let maximumBucketCount = 16

    /// The section ranges of views by view number, for each bucket.
    private var buckets: [Int: [Int: Range<Int>]] = [:]
    /// The section ranges of views that span too many buckets, by view number.
    private var wideRanges: [Int: Range<Int>] = [:]

    /// Adds the sections that a view shows.
    ///
    /// - Complexity: O(1).
    mutating func insert(_ sections: Range<Int>, ofView number: Int) {
        guard !sections.isEmpty else { return }
        guard let spanned = ShownSections.buckets(of: sections) else { return wideRanges[number] = sections }
        for bucket in spanned { buckets[bucket, default: [:]][number] = sections }
    }

    /// Removes a view. `sections` are the sections with which the view was inserted.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ sections: Range<Int>, ofView number: Int) {
        guard !sections.isEmpty else { return }
        guard let spanned = ShownSections.buckets(of: sections) else { return wideRanges[number] = nil }
        for bucket in spanned {
            buckets[bucket]?[number] = nil
            if buckets[bucket]?.isEmpty == true { buckets[bucket] = nil }
        }
    }

    /// Adds the numbers of the views that show a section to a set.
    ///
    /// - Complexity: O(views near the section, and views that show more than a thousand sections).
    func insertViews(showing section: Int, into numbers: inout Set<Int>) {
        for (number, sections) in buckets[section / ShownSections.bucketSize] ?? [:]
        where sections.contains(section) {
            numbers.insert(number)
        }
        for (number, sections) in wideRanges where sections.contains(section) { numbers.insert(number) }
    }

    /// The buckets that a range of sections spans; nil when there are too many.
    private static func buckets(of sections: Range<Int>) -> ClosedRange<Int>? {
        let spanned = sections.lowerBound / bucketSize...(sections.upperBound - 1) / bucketSize
        return spanned.count <= maximumBucketCount ? spanned : nil
    }
}
