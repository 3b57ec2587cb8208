// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
import Testing

/// One case of `Tests/Vectors/scroll.json`: sections stacked along an axis, with items of equal length.
struct ScrollCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let sectionItemCounts: [Int]?
    let axis: String?
    let viewportLength: Double?
    let itemLength: Double?
    let headers: [[Double]]?
    let contentInset: Inset?
    let operations: [Operation]?
    let contentLength: Double?
    let sectionRanges: [[Double]]?
    let offset: Double?
    let visibleSections: [Int]?
    let section: Int?
    let visibleItems: [Int]?
    let otherSection: Int?
    let otherVisibleCount: Int?
    let fullyVisibleCount: Int?

    var testDescription: String { name }

    struct Inset: Decodable, Sendable {
        let lead: Double
        let trail: Double
    }

    struct Operation: Decodable, Sendable {
        let op: String
        let section: Int?
        let item: Int?
        let position: ScrollPosition?
        let additionalOffset: Double?
        let supplementary: [ElementKind]?
        let inset: [Double]?
        let offset: Double?
        let expected: Expected
    }

    struct Expected: Decodable, Sendable {
        let offset: Double?
        let firstVisible: [Int]?
        let offsetIntoFirstVisible: Double?
    }

    static func load() throws -> [ScrollCase] {
        struct File: Decodable {
            let cases: [ScrollCase]
            let visibility: [ScrollCase]
        }
        let file = try JSONDecoder().decode(File.self, from: vectors(named: "scroll"))
        return file.cases + file.visibility
    }

    var direction: ScrollDirection { axis == "horizontal" ? .horizontal : .vertical }
    var viewport: Double { viewportLength ?? 100 }

    /// The list, whose items extend across the whole viewport.
    var list: TestList {
        let length = itemLength ?? 10
        let size = direction == .vertical ? Size.of(100, length) : Size.of(length, 100)
        var list = TestList(
            sections: (sectionItemCounts ?? []).map { TestSection(items: Array(repeating: size, count: $0)) })
        for header in headers ?? [] { list.sections[Int(header[0])].header = header[1] }
        return list
    }

    /// The layout of the list.
    var layout: FlowLayout {
        var layout = FlowLayout(LayoutConfiguration(direction: direction, showHeaderWhenEmpty: true))
        let container = direction == .vertical ? Size.of(100, viewport) : Size.of(viewport, 100)
        layout.prepare(list, container: container)
        return layout
    }
}

extension ScrollPosition: @retroactive Decodable {}
extension ElementKind: @retroactive Decodable {}
