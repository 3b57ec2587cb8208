/// What a layout asks about the list while it lays out.
///
/// The adapter answers from its section controllers and their fixed traits; a view puts the sizes that its client
/// measured in front of them, and such a section has no uniform size. Answers are pure: the same question during one call of a layout has the same answer.
/// A layout keeps what it was told and asks again only for sections and items named in a change.
public protocol LayoutSource {
    /// How many sections the list has.
    var numberOfSections: Int { get }

    /// The section's metrics; layouts `absolute` and `none` use only the number of items.
    func metrics(forSection section: Int) -> SectionMetrics

    /// The size of an item; asked by layout `flow`, unless the metrics gave one size for all.
    func sizeForItem(at path: IndexPath) -> Size

    /// The frame and the z of an item; asked by layout `absolute` only.
    func placementOfItem(at path: IndexPath) -> ItemPlacement
}

/// The place that an item brings along in layout `absolute`.
public struct ItemPlacement: Sendable, Hashable {
    /// Its frame in content coordinates; a frame with NaN or infinite numbers counts as empty.
    public var frame: Rect
    /// Which of two overlapping items lies above: the one with the larger number.
    public var zIndex: Int

    /// Makes a placement from its parts.
    public init(frame: Rect, zIndex: Int = 0) {
        self.frame = frame
        self.zIndex = zIndex
    }
}
