// SPDX-License-Identifier: Apache-2.0

import ListKit

/// A layout source whose sections are written out in a test.
struct TestList: LayoutSource, Sendable {
    var sections: [TestSection]

    var numberOfSections: Int { sections.count }

    func metrics(forSection section: Int) -> SectionMetrics {
        sections[section].metrics
    }

    func sizeForItem(at path: IndexPath) -> Size {
        sections[path.section].items[path.item]
    }

    func placementOfItem(at path: IndexPath) -> ItemPlacement {
        sections[path.section].placements[path.item]
    }
}

/// A section with all properties that a layout requests.
struct TestSection: Sendable, Hashable {
    var items: [Size] = []
    var placements: [ItemPlacement] = []
    var inset = EdgeInsets.zero
    var lineSpacing = 0.0
    var interitemSpacing = 0.0
    var header = 0.0
    var footer = 0.0
    /// Whether the metrics report the first item's size as the size of all items.
    var reportsUniformSize = false

    var metrics: SectionMetrics {
        SectionMetrics(
            itemCount: max(items.count, placements.count), uniformItemSize: reportsUniformSize ? items.first : nil,
            inset: inset,
            lineSpacing: lineSpacing, interitemSpacing: interitemSpacing, headerLength: header, footerLength: footer)
    }
}

extension Size {
    /// Creates a size from two numbers.
    static func of(_ width: Double, _ height: Double) -> Size { Size(width: width, height: height) }
}
