// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// Rows of items, as in IGListCollectionViewLayout.
    public static let flow = ListLayoutKind(name: "flow") { FlowLayout($0) }
}

/// IGListCollectionViewLayout without a view: rows of items, along either axis.
///
/// Sections lie in chunks of a tree; a chunk has the state at its entry and coordinates relative to its origin. A query runs
/// the flow over the chunks that overlap it; a change lays out the chunks that it touches, and those after them as long as
/// the state at a chunk's entry differs.
public struct FlowLayout: ListLayout {
    /// The settings.
    public private(set) var configuration: LayoutConfiguration
    private(set) var container = Size.zero
    private(set) var rules: FlowRules
    var tree = LeafTree<FlowChunk>()

    /// Makes a layout that knows no list yet.
    public init(_ configuration: LayoutConfiguration) {
        self.configuration = configuration
        rules = FlowRules(configuration, container: .zero)
    }

    /// The axis along which the list scrolls.
    public var direction: ScrollDirection { configuration.direction }
    /// How many sections the layout knows.
    public var numberOfSections: Int { tree.total.sections }
    /// Whether ``attributes(in:origin:)`` answers section by section: true.
    public var ordersBySection: Bool { true }

    /// Added to the scroll offset for sticky headers, in points.
    public var stickyHeaderOffset: Double {
        get { configuration.stickyHeaderOffset }
        set { configuration.stickyHeaderOffset = newValue }
    }

    /// Lays everything out; O(items), O(sections) where each has one size for all items; runs of sections with the same metrics
    /// cost a sixty-fourth of that.
    public mutating func prepare(_ source: some LayoutSource, container: Size) {
        let rules = FlowRules(configuration, container: container)
        var cutter = SectionCutter(rules: rules)
        cutter.append(0..<max(0, source.numberOfSections), source: source)
        self.container = container
        self.rules = rules
        tree = LeafTree(cutter.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }

    /// The container less the content inset, by the end of the last section with its trailing inset, even if one beside it
    /// is longer (rule LY-46).
    public var contentSize: Size {
        guard let last = tree.lastLeaf else { return .zero }
        let chunk = tree.leaves[last]
        let end = tree.total.advance + chunk.handOver.edge + chunk.lastStyle.trailing
        return rules.size(along: end, across: rules.room)
    }
}
