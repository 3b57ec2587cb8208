import Foundation
import ListKit
import Testing

/// The cases of `Tests/Vectors`, restated from IGListKit's tests.
enum DiffVectors {
    static func load<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Vectors")
        return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static let diff = Result { try load("diff.json", as: DiffFile.self) }

    static let batchUpdateData = Result { try load("batch_update_data.json", as: BatchFile.self) }
}

/// An identifier or a value: numbers and strings differ, as in the vectors.
enum Scalar: Hashable, Sendable, Decodable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let number = try? container.decode(Double.self) {
            self = .text("\(number)")
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}

struct DiffFile: Decodable, Sendable {
    let cases: [DiffCase]
    let moveRecords: [MoveRecord]
}

struct DiffCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Element: Decodable, Sendable {
        let id: Scalar
        let value: Scalar
        let ref: Scalar?
    }

    struct Changes: Decodable, Sendable {
        let inserts: [Int]
        let deletes: [Int]
        let updates: [Int]
        let moves: [[Int]]
    }

    struct Lookup: Decodable, Sendable {
        let id: Scalar
        let index: Int?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            id = try container.decode(Scalar.self)
            index = try container.decodeIfPresent(Int.self)
        }
    }

    struct Expected: Decodable, Sendable {
        let hasChanges: Bool?
        let changeCount: Int?
        let inserts: [Int]?
        let deletes: [Int]?
        let updates: [Int]?
        let updatesCount: Int?
        let moves: [[Int]]?
        let movesInclude: [[Int]]?
        let moveFromsUnique: Bool?
        let countAfter: Int?
        let oldIndex: [Lookup]?
        let newIndex: [Lookup]?
    }

    struct Paths: Decodable, Sendable {
        let fromSection: Int
        let toSection: Int
    }

    let name: String
    let old: [Element]
    let new: [Element]
    let option: String
    let paths: Paths?
    let expected: Expected
    let derivedFromSource: Changes
    let derivedFromSourceBatch: Changes

    var testDescription: String { name }
}

struct MoveRecord: Decodable, Sendable, CustomTestStringConvertible {
    enum End: Decodable, Sendable {
        case index(Int)
        case path([Int])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let index = try? container.decode(Int.self) {
                self = .index(index)
            } else {
                self = .path(try container.decode([Int].self))
            }
        }
    }

    let name: String
    let moves: [[End]]
    let expectedSetCount: Int?
    let expectedSortedPermutation: [Int]?

    var testDescription: String { name }
}

struct BatchFile: Decodable, Sendable {
    let cases: [BatchCase]
}

struct BatchCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Data: Decodable, Sendable {
        let insertSections: [Int]?
        let deleteSections: [Int]?
        let moveSections: [[Int]]?
        let insertItems: [[Int]]?
        let deleteItems: [[Int]]?
        let updateItems: [[Int]]?
        let moveItems: [[[Int]]]?
        let insertSectionsCount: Int?
        let moveSectionsCount: Int?
        let moveItemsCount: Int?
    }

    let name: String
    let input: Data
    let expected: Data
    let derivedFromSource: Data?

    var testDescription: String { name }
}
