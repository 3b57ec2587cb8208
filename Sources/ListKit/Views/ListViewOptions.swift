// SPDX-License-Identifier: Apache-2.0

/// The options of a view, as in the bus method `OpenView`.
public struct ListViewOptions: Sendable, Hashable {
    /// The kind of layout; `nil` = the adapter's layout.
    public var layout: ListLayoutKind?
    /// The maximum number of unacknowledged pictures, at least 1; `nil` = any number.
    ///
    /// A view whose viewer draws asynchronously, such as in another process, needs a window, so that it is not sent
    /// more than is drawn. After each picture, the drawing program calls ``ListAdapter/acknowledge(view:sequence:)``.
    /// While the window is full, the view is stalled. A program that applies each change at once needs no window.
    public var window: Int?
    /// The maximum number of unacknowledged bytes of content; `nil` = any number. A picture is always sent if no
    /// other picture is unacknowledged.
    public var windowBytes: Int?
    /// The size of the working range after the visible elements; `nil` = the adapter's size.
    public var lead: Int?
    /// The size of the working range before the visible elements; `nil` = the adapter's size.
    public var trail: Int?
    /// The unit of `lead` and `trail`, and of the adapter's size of the working range.
    public var workingRangeUnit = ListWorkingRangeUnit.sections
    /// The distance beyond the viewport within which items are displayed, in points: along the scroll axis, and on all
    /// four sides in a layout that uses placements.
    public var buffer: Double = 20
    /// The distance beyond the viewport within which items are shown in slots, but not displayed, in points. It counts
    /// from the viewport as ``buffer`` does; the larger of the two decides what is shown. Not used in the layout `none`.
    public var prefetch: Double = 0
    /// The number of items on both sides of the visible range that also count as shown. Used only in the layout `none`.
    public var overscanItems: Int = 0
    /// To what the items of a visible range refer. Used only in the layout `none`.
    public var rangeAt = ListRangeReference.picture
    /// The keys of the content fields that the view is sent; empty = all fields.
    public var fields: [String] = []
    /// Whether the elements on the screen keep their place when elements above them change.
    public var isAnchored = true
    /// Whether elements keep their place also when the viewport is at the very start of the content.
    public var isAnchoredAtStart = false
    /// The number of device pixels for each point, to which frames are rounded as in IGListKit; 0 = no rounding.
    public var scale: Double = 0
    /// The insets of the content, for viewers that scroll beyond its edges. They narrow rows and shift scroll-to
    /// targets.
    public var contentInset: EdgeInsets = .zero

    /// The item at which the view opens. If it is set, only the size of the first viewport or range of items is used.
    ///
    /// The option is ignored if the item no longer exists when the first viewport is set.
    public var opening: ListViewOpening?

    /// Makes the options of a view without a credit window.
    public init() {}

    /// Checks that all numbers are valid.
    ///
    /// - Throws: `invalidArguments` with the name of the first number that is negative or not finite.
    func validate() throws(ListError) {
        let counts = [
            ("window", window ?? 0), ("windowBytes", windowBytes ?? 0), ("lead", lead ?? 0), ("trail", trail ?? 0),
            ("overscanItems", overscanItems),
        ]
        for (name, value) in counts where value < 0 {
            throw ListError(.invalidArguments, "\(name): \(value) is negative")
        }
        let distances = [("buffer", buffer), ("prefetch", prefetch), ("scale", scale)]
        for (name, value) in distances where !value.isFinite || value < 0 {
            throw ListError(.invalidArguments, "\(name): \(value) is negative or not finite")
        }
        let insets = [contentInset.top, contentInset.left, contentInset.bottom, contentInset.right]
        guard insets.allSatisfy(\.isFinite) else {
            throw ListError(.invalidArguments, "contentInset: \(contentInset) is not finite")
        }
    }
}

/// The item at which a view is opened.
@frozen public struct ListViewOpening: Sendable, Hashable {
    /// The identifier of the object.
    public var objectID: String
    /// The index of the item in the object's section.
    public var item: Int
    /// The position of the item in the viewport; `none` scrolls as little as possible from the beginning of the list.
    public var position: ScrollPosition

    /// Makes an opening at an item.
    public init(objectID: String, item: Int = 0, position: ScrollPosition = .none) {
        self.objectID = objectID
        self.item = item
        self.position = position
    }
}

/// To what the items of a visible range refer in the layout `none`.
@frozen public enum ListRangeReference: String, Sendable, Hashable, CaseIterable {
    /// The list as of a picture that the viewer was sent.
    case picture
    /// The list as of a revision, for viewers that have a model of the whole list.
    case revision
}

/// The unit in which the size of a working range is counted.
@frozen public enum ListWorkingRangeUnit: String, Sendable, Hashable, CaseIterable {
    /// Sections before the first visible section and after the last.
    case sections
    /// Items before the first visible item and after the last. A section is in range when one of its items is. A
    /// section without items is in range when it lies between two sections in range.
    case items
}

/// An item size that a viewer measured.
public struct MeasuredSize: Sendable, Hashable {
    /// The identifier of the object.
    public var objectID: String
    /// The index of the item in the object's section.
    public var item: Int
    /// The measured size, in points.
    public var size: Size

    /// Makes a measured size.
    public init(objectID: String, item: Int, size: Size) {
        self.objectID = objectID
        self.item = item
        self.size = size
    }
}

/// Determines whether a viewer's widget is visible, from the widgets that contain it.
///
/// Programs with widgets pass the result to ``ListAdapter/setVisible(_:view:)``.
public struct ListVisibilityTracker: Sendable, Hashable {
    /// The visibility of the widget.
    @frozen public enum State: Sendable, Hashable {
        /// The widget is in a window, and neither the widget nor a container of it is hidden.
        case maybeVisible
        /// The widget is not visible, but was made so recently that it may be about to appear.
        case notVisibleEarly
        /// The widget is not visible.
        case notVisible
    }

    /// The tracked widget, a widget that contains it, or the window.
    public struct Layer: Sendable, Hashable {
        /// Whether the widget or window is hidden.
        public var isHidden: Bool
        /// The opacity of the widget or window, from 0 to 1.
        public var alpha: Double

        /// Makes a layer, which is visible by default.
        public init(isHidden: Bool = false, alpha: Double = 1) {
            self.isHidden = isHidden
            self.alpha = alpha
        }
    }

    /// The time after its creation during which a widget counts as early, in milliseconds.
    public var earlyInterval: UInt64
    private let creation: UInt64

    /// Makes a tracker for a widget that was just created. `now` is the current time in milliseconds.
    public init(now: UInt64, earlyInterval: UInt64 = 1000) {
        creation = now
        self.earlyInterval = earlyInterval
    }

    /// Returns the visibility of the widget.
    ///
    /// - Parameter layers: the widget, all widgets that contain it, and the window last; `nil` when the widget is in
    ///   no window.
    public func state(layers: [Layer]?, now: UInt64) -> State {
        if let layers, layers.allSatisfy({ !$0.isHidden && $0.alpha >= Double(Float.ulpOfOne) }) {
            return .maybeVisible
        }
        return now.saturatingSubtracting(creation) <= earlyInterval ? .notVisibleEarly : .notVisible
    }
}
