/// Answers a layout's questions about the list as one view sees it.
final class AdapterLayoutSource: LayoutSource {
    private let adapter: ListAdapter
    private let view: ListView
    private let container: ListContainer
    /// The section asked about last: layouts ask for its items one after the other.
    private var last: (section: Int, shape: ListSectionShape)?

    init(adapter: ListAdapter, view: ListView, container: ListContainer) {
        self.adapter = adapter
        self.view = view
        self.container = container
    }

    var numberOfSections: Int { adapter.sections.count }

    func metrics(forSection section: Int) -> SectionMetrics { shape(ofSection: section).metrics }

    func sizeForItem(at path: IndexPath) -> Size {
        let shape = shape(ofSection: path.section)
        if let uniform = shape.metrics.uniformItemSize { return uniform }
        return shape.sizes.indices.contains(path.item) ? shape.sizes[path.item] : .zero
    }

    func placementOfItem(at path: IndexPath) -> ItemPlacement {
        let placements = shape(ofSection: path.section).placements
        return placements.indices.contains(path.item) ? placements[path.item] : ItemPlacement(frame: .zero)
    }

    private func shape(ofSection section: Int) -> ListSectionShape {
        if let last, last.section == section { return last.shape }
        guard let handle = adapter.sections.handle(at: section) else {
            return ListSectionShape(metrics: SectionMetrics(itemCount: 0))
        }
        var shape = adapter.askShape(of: handle, in: container)
        if let reported = view.reportedSizes[handle] { shape.replaceSizes(reported) }
        last = (section, shape)
        return shape
    }
}

extension ListSectionShape {
    /// Puts measured sizes in front of estimates.
    mutating func replaceSizes(_ reported: [Int: Size]) {
        if let uniform = metrics.uniformItemSize {
            sizes = Array(repeating: uniform, count: metrics.itemCount)
            metrics.uniformItemSize = nil
        }
        for (index, size) in reported where sizes.indices.contains(index) { sizes[index] = size }
        for (index, size) in reported where placements.indices.contains(index) { placements[index].frame.size = size }
    }
}
