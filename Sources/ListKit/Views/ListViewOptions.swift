// SPDX-License-Identifier: Apache-2.0

/// How a view looks at a list; the contract's OpenView options.
public struct ListViewOptions: Sendable, Hashable {
    /// The layout; `nil` = the adapter's.
    public var layout: ListLayoutKind?
    /// How many pictures may be unacknowledged, at least 1; `nil` = any number.
    ///
    /// A view that something else draws, such as another process, has a window, so that it is not sent more than is drawn: who
    /// draws calls ``ListAdapter/acknowledge(view:sequence:)``, and until then the view is stalled. A program that applies
    /// each change at once needs none.
    public var window: Int?
    /// How many bytes of content may be unacknowledged; the first picture may always go; `nil` = any number.
    public var windowBytes: Int?
    /// The working range after what is visible; `nil` = the adapter's.
    public var lead: Int?
    /// The working range before what is visible; `nil` = the adapter's.
    public var trail: Int?
    /// What lead and trail count, the adapter's too.
    public var workingRangeUnit = ListWorkingRangeUnit.sections
    /// How far beyond the viewport, along the scroll axis, items count as shown, in points.
    public var buffer: Double = 20
    /// How many items beyond the visible range count as shown, on both sides; layout `none` only.
    public var overscanItems: Int = 0
    /// The keys of contents that the view is sent; empty = all.
    public var fields: [String] = []
    /// Whether what is on the screen keeps its place when something above it changes.
    public var isAnchored = true
    /// Whether that is so at the very start of the content too.
    public var isAnchoredAtStart = false
    /// Device pixels for each point, for IGListKit's rounding of frames; 0 = none.
    public var scale: Double = 0
    /// Insets of the content, for viewers that scroll beyond its edges; they narrow rows and shift scroll-to targets.
    public var contentInset: EdgeInsets = .zero

    /// What the view begins with: its first viewport, or range of items, then says no more than how much it shows.
    ///
    /// It is ignored when the item is gone by then.
    public var opening: ListViewOpening?

    /// Makes the options of a view that nobody has to acknowledge.
    public init() {}

    /// Checks the numbers.
    ///
    /// - Throws: `invalidArguments`, naming the first that is negative or not finite.
    func validate() throws(ListError) {
        let counts = [
            ("window", window ?? 0), ("windowBytes", windowBytes ?? 0), ("lead", lead ?? 0), ("trail", trail ?? 0),
            ("overscanItems", overscanItems),
        ]
        for (name, value) in counts where value < 0 { throw ListError(.invalidArguments, "\(name): \(value)") }
        for (name, value) in [("buffer", buffer), ("scale", scale)] where !value.isFinite || value < 0 {
            throw ListError(.invalidArguments, "\(name): \(value)")
        }
        let insets = [contentInset.top, contentInset.left, contentInset.bottom, contentInset.right]
        guard insets.allSatisfy(\.isFinite) else {
            throw ListError(.invalidArguments, "contentInset: \(contentInset)")
        }
    }
}

/// An item that a view is opened at.
@frozen public struct ListViewOpening: Sendable, Hashable {
    /// The object.
    public var objectID: String
    /// The item inside the object's section.
    public var item: Int
    /// Where the item is to lie; `none` is nearest to the beginning of the list.
    public var position: ScrollPosition

    /// Names an item.
    public init(objectID: String, item: Int = 0, position: ScrollPosition = .none) {
        self.objectID = objectID
        self.item = item
        self.position = position
    }
}

/// What the working range counts.
@frozen public enum ListWorkingRangeUnit: String, Sendable, Hashable, CaseIterable {
    /// Sections before the first visible one and after the last.
    case sections
    /// Items before the first visible one and after the last; a section is in range when one of its items is, and so is a
    /// section without items between two that are.
    case items
}
