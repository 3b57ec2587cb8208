// SPDX-License-Identifier: Apache-2.0

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

    /// A section's metrics, and how many sections from it on have the same ones; more than one only where the metrics have
    /// one size for all items.
    ///
    /// Asked by layout `flow` when everything is laid out: a run costs a part of what its sections cost one by one.
    func run(fromSection section: Int) -> SectionRun

    /// The size of an item; asked by layout `flow`, unless the metrics gave one size for all.
    func sizeForItem(at path: IndexPath) -> Size

    /// The frame and the z of an item; asked by layout `absolute` only.
    func placementOfItem(at path: IndexPath) -> ItemPlacement
}

extension LayoutSource {
    /// One section at a time, for a source that knows nothing better.
    public func run(fromSection section: Int) -> SectionRun {
        SectionRun(metrics: metrics(forSection: section), count: 1)
    }
}

/// Neighbouring sections that look alike.
public struct SectionRun: Sendable, Hashable {
    /// What each of them answers.
    public var metrics: SectionMetrics
    /// How many there are, at least 1.
    public var count: Int

    /// Makes a run from its parts.
    public init(metrics: SectionMetrics, count: Int) {
        self.metrics = metrics
        self.count = count
    }
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
