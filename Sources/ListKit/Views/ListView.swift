// SPDX-License-Identifier: Apache-2.0

/// What the adapter keeps of one view: where its viewport lies, what it shows, and what its viewer was sent.
///
/// Only the adapter touches it, and never while it calls a section controller with a part of it in hand.
final class ListView {
    let id: ViewID
    let options: ListViewOptions
    var layoutKind: ListLayoutKind
    let fields: Set<ExactText>

    /// Where everything lies; unused in the layout `none`.
    var layout: ListLayout
    /// The viewport in content coordinates; `nil` before the first one.
    var viewport: Rect?
    /// The items that the viewer named, in the layout `none`, as they followed the list since.
    var visibleItems: VisibleItems?
    /// Those of them that are there, as they were found last.
    var shownItems: ShownItems?
    /// What the view is opened at, until its viewer says what it looks at.
    var opening: ViewOpening?
    /// What it shows now, section by section.
    var elements: [ViewElement] = [] {
        didSet { visibleObjects = nil }
    }
    /// The objects of the elements, once somebody asked.
    var visibleObjects: [String]?
    /// The items of the elements, as long as they are good.
    var contents: [ElementKey: ListItem] = [:]
    /// The sections in range, by their numbers.
    var workingRange = 0..<0
    /// Sizes that the viewer measured.
    var reportedSizes: [SectionHandle: [Int: Size]] = [:]
    /// Whether somebody may be looking.
    var isVisible = true
    /// What its content is doing.
    var scrolling: ListScrollingTraits = []
    /// What has to keep its place during a transaction.
    var anchor: ViewAnchor?
    /// Whether the end of the list is near, and was told.
    var nearEnd: NearEnd?

    /// What the viewer was sent.
    var picture = SentPicture()
    /// Sent elements whose items are gone, their slots not yet given back.
    var orphans: [SentPicture.Element] = []
    var slots = SlotPool()
    var credit: CreditWindow
    var shifts = ViewportShifts()
    /// What happened since the pictures that its viewer may go by, in the layout `none`.
    var history = PictureHistory()
    /// Whether the daemon moved the viewport since the last change went out.
    var isOffsetMoved = false
    /// Whether contents have to be asked for anew outside of a transaction.
    var isStale = false
    /// Whether a difference waits because all views are held.
    var isHeld = false

    init(id: ViewID, options: ListViewOptions, layoutKind: ListLayoutKind, layout: ListLayout) {
        self.id = id
        self.options = options
        self.layoutKind = layoutKind
        self.layout = layout
        fields = Set(options.fields.map { ExactText($0) })
        credit = CreditWindow(maximumCount: options.window, maximumBytes: options.windowBytes)
    }

    /// Whether it has said what it looks at.
    var isActive: Bool { viewport != nil || visibleItems != nil }

    /// The sections of which it shows something, knows something, or has sent something.
    var handlesInUse: Set<SectionHandle> {
        var handles = Set(reportedSizes.keys)
        handles.formUnion(elements.compactMap(\.key.handle))
        handles.formUnion(picture.elements.keys.compactMap(\.handle))
        handles.formUnion(orphans.compactMap(\.handle))
        if let last = nearEnd?.last { handles.insert(last) }
        if let opening { handles.insert(opening.handle) }
        return handles
    }

    /// The extent of the whole content.
    var contentSize: Size { layoutKind == .none || viewport == nil ? .zero : layout.contentSize }

    /// Where the viewport lies.
    var offset: Point { viewport?.origin ?? .zero }
}
