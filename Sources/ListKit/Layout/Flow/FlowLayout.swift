// SPDX-License-Identifier: Apache-2.0

/// IGListCollectionViewLayout without a view: rows of items, along either axis.
///
/// Sections lie in chunks of a tree; a chunk knows the state it begins with and nothing of where it lies. A question
/// runs the flow over the chunks that it meets, a change lays out the chunks that it names and goes on only while the
/// state at a chunk's entry differs.
struct FlowLayout: Sendable {
    var configuration: FlowConfiguration
    private(set) var container = Size.zero
    private(set) var rules: FlowRules
    var tree = LeafTree<FlowChunk>()

    init(_ configuration: FlowConfiguration) {
        self.configuration = configuration
        rules = FlowRules(configuration, container: .zero)
    }

    var numberOfSections: Int { tree.total.sections }

    /// Lays everything out; O(items), O(sections) where each has one size for all items; runs of
    /// sections that the source knows to be alike cost a sixty-fourth of that.
    mutating func prepare(_ source: some LayoutSource, container: Size) {
        let rules = FlowRules(configuration, container: container)
        var cutter = SectionCutter(rules: rules)
        cutter.append(0..<max(0, source.numberOfSections), source: source)
        self.container = container
        self.rules = rules
        tree = LeafTree(cutter.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }

    /// The size of everything. Only the last section decides the length, even if one beside it is longer (the quirk
    /// LY-46).
    var contentSize: Size {
        guard let last = tree.lastLeaf else { return .zero }
        let chunk = tree.leaves[last]
        let end = tree.total.advance + chunk.handOver.edge + chunk.lastStyle.trailing
        return rules.size(along: end, across: rules.room)
    }
}
