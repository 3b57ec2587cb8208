// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
import Testing

/// One case of `Tests/Vectors/layout.json`.
struct LayoutCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let config: Config
    let steps: [Step]

    var testDescription: String { name }

    struct Config: Decodable, Sendable {
        let container: [Double]
        let scrollDirection: String
        let stickyHeaders: Bool
        let topContentInset: Double
        let stretchToEdge: Bool
        let showHeaderWhenEmpty: Bool
        let contentInset: Insets

        func configuration(scale: Double) throws -> LayoutConfiguration {
            LayoutConfiguration(
                direction: try #require(ScrollDirection(rawValue: scrollDirection)), stickyHeaders: stickyHeaders,
                topContentInset: topContentInset, stretchToEdge: stretchToEdge,
                showHeaderWhenEmpty: showHeaderWhenEmpty, contentInset: contentInset.edges, scale: scale)
        }
    }

    struct Insets: Decodable, Sendable {
        let top: Double
        let left: Double
        let bottom: Double
        let right: Double

        var edges: EdgeInsets { EdgeInsets(top: top, left: left, bottom: bottom, right: right) }
    }

    struct Section: Decodable, Sendable {
        let insets: Insets
        let lineSpacing: Double
        let interitemSpacing: Double
        let header: Double
        let footer: Double
        let items: [[Double]]

        var section: TestSection {
            TestSection(
                items: items.map { Size(width: $0[0], height: $0[1]) }, inset: insets.edges, lineSpacing: lineSpacing,
                interitemSpacing: interitemSpacing, header: header, footer: footer)
        }
    }

    struct Step: Decodable, Sendable {
        let sections: [Section]?
        let container: [Double]?
        let contentOffset: [Double]?
        let stickyHeaderYOffset: Double?
        let operations: Operations?
        let expected: Expected
    }

    struct Operations: Decodable, Sendable {
        let moveSections: [[Int]]?
        let didModifySection: [Int]?
    }

    struct Query: Decodable, Sendable {
        let rect: [Double]
        let items: [[Int]]
    }

    struct Expected: Decodable, Sendable {
        let contentSize: [Double]?
        let contentWidth: Double?
        let contentHeight: Double?
        let headers: [Frame]?
        let footers: [Frame]?
        let items: [Frame]?
        let queries: [Query]?
        let itemAttributesAbsent: [[Int]]?
    }

    /// `[section, frame]` or `[section, item, frame]`. The text `"absent"` instead of a frame means that there is
    /// no frame.
    struct Frame: Decodable, Sendable {
        var numbers: [Int] = []
        var rect: Rect?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if let number = try? container.decode(Int.self) {
                    numbers.append(number)
                } else if let frame = try? container.decode([Double].self) {
                    rect = Rect(x: frame[0], y: frame[1], width: frame[2], height: frame[3])
                } else {
                    _ = try container.decode(String.self)
                }
            }
        }
    }
}

/// One case of `boundsChange` in `Tests/Vectors/layout.json`.
struct BoundsCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let config: Config
    let old: [Double]
    let new: [Double]
    let shouldInvalidate: Bool
    let invalidates: String?

    var testDescription: String { name }

    struct Config: Decodable, Sendable {
        let stickyHeaders: Bool
    }
}

/// The content of `Tests/Vectors/layout.json`.
struct LayoutVectors: Decodable, Sendable {
    let cases: [LayoutCase]
    let boundsChange: [BoundsCase]

    static func load() throws -> LayoutVectors {
        try JSONDecoder().decode(LayoutVectors.self, from: vectors(named: "layout"))
    }
}

/// Reads a file in `Tests/Vectors`.
func vectors(named name: String, file: String = #filePath) throws -> Data {
    var folder = URL(fileURLWithPath: file)
    while folder.lastPathComponent != "Tests" { folder.deleteLastPathComponent() }
    return try Data(contentsOf: folder.appending(path: "Vectors/\(name).json"))
}
