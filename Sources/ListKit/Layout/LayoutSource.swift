// SPDX-License-Identifier: Apache-2.0

/// Answers a layout's questions about the list.
///
/// Answers come from section controllers and their traits, and from the sizes that the client of a view measured. During one
/// call of a layout the same question always has the same answer. A layout keeps the answers and asks again only about
/// sections and items of a change.
public protocol LayoutSource {
    /// The number of sections.
    var numberOfSections: Int { get }

    /// The section's metrics; layout `absolute` uses only the number of items.
    func metrics(forSection section: Int) -> SectionMetrics

    /// A section's metrics, and the number of sections from it on with the same ones; more than one only if the metrics
    /// have one size for all items.
    ///
    /// Layout `flow` asks this when it lays out everything: a run costs less than its sections one by one.
    func run(fromSection section: Int) -> SectionRun

    /// The size of an item; not asked where the metrics have one size for all.
    func sizeForItem(at path: IndexPath) -> Size

    /// The frame and the z of an item, for layouts of kinds that use placements (``ListLayoutKind/usesPlacements``).
    func placementOfItem(at path: IndexPath) -> ItemPlacement
}

extension LayoutSource {
    /// One section at a time.
    public func run(fromSection section: Int) -> SectionRun {
        SectionRun(metrics: metrics(forSection: section), count: 1)
    }
}

/// Neighbouring sections with the same metrics.
public struct SectionRun: Sendable, Hashable {
    /// The metrics of each of them.
    public var metrics: SectionMetrics
    /// Their number, at least 1.
    public var count: Int

    /// Makes a run from its parts.
    public init(metrics: SectionMetrics, count: Int) {
        self.metrics = metrics
        self.count = count
    }
}

/// The place of an item, in layouts that use placements.
public struct ItemPlacement: Sendable, Hashable {
    /// Its frame in content coordinates; a frame with NaN or infinite numbers counts as empty.
    public var frame: Rect
    /// The one of two overlapping items with the larger number is above.
    public var zIndex: Int

    /// Makes a placement from its parts.
    public init(frame: Rect, zIndex: Int = 0) {
        self.frame = frame
        self.zIndex = zIndex
    }
}
