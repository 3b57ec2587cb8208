// SPDX-License-Identifier: Apache-2.0

extension ListLayoutKind {
    /// The layout in rows of items, as in IGListCollectionViewLayout.
    public static let flow = ListLayoutKind(name: "flow") { FlowLayout($0) }
}

/// The layout of IGListCollectionViewLayout, without a view: rows of items, along either axis.
///
/// Sections are stored in chunks, the leaves of a tree. A chunk has the flow's state at its start, and coordinates
/// relative to its origin. A query runs the flow over the chunks that overlap the query. A change lays out the
/// changed chunks, and the chunks after them as long as their state at the start changes.
public struct FlowLayout: ListLayout {
    /// The settings.
    public private(set) var configuration: LayoutConfiguration
    private(set) var container = Size.zero
    private(set) var rules: FlowRules
    var tree = LeafTree<FlowChunk>()

    /// Makes a layout without sections.
    public init(_ configuration: LayoutConfiguration) {
        self.configuration = configuration
        rules = FlowRules(configuration, container: .zero)
    }

    /// The axis along which the list scrolls.
    public var direction: ScrollDirection { configuration.direction }
    /// The number of sections in the layout.
    public var numberOfSections: Int { tree.total.sections }
    /// Whether ``attributes(in:origin:)`` returns elements section by section: true.
    public var ordersBySection: Bool { true }

    /// A distance in points that is added to the scroll offset for sticky headers.
    public var stickyHeaderOffset: Double {
        get { configuration.stickyHeaderOffset }
        set { configuration.stickyHeaderOffset = newValue }
    }

    /// Lays out the whole list.
    ///
    /// - Complexity: O(items); O(sections) if each section has one size for all items. Runs of sections with the same
    ///   metrics take a sixty-fourth of that.
    public mutating func prepare(_ source: some LayoutSource, container: Size) {
        let rules = FlowRules(configuration, container: container)
        var builder = FlowChunkBuilder(rules: rules)
        builder.append(0..<max(0, source.numberOfSections), source: source)
        self.container = container
        self.rules = rules
        tree = LeafTree(builder.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }

    /// Breaks the rows for a container of another size.
    ///
    /// - Complexity: O(items), without reading them; O(1) if the length of rows stays.
    public mutating func setContainer(_ container: Size) -> Bool {
        self.container = container
        let new = FlowRules(configuration, container: container)
        guard new != rules else { return true }
        rules = new
        for leaf in tree.leaves.indices { tree.leaves[leaf].forgetRows() }
        tree.layOutAll(from: FlowState(), rules: new)
        return true
    }

    /// The size of the content. Across the scroll axis it is the container's length without the content insets. Along
    /// the scroll axis it is the end of the last section including its trailing inset, even if a section beside it is
    /// longer (rule LY-46).
    public var contentSize: Size {
        guard let last = tree.lastLeaf else { return .zero }
        let chunk = tree.leaves[last]
        let end = tree.total.advance + chunk.exit.edge + chunk.lastStyle.trailing
        return rules.size(along: end, across: rules.rowLength)
    }
}
