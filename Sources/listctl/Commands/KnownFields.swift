// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The fields of a list's first objects: a field that none of them has may be mistyped.
struct KnownFields {
    private let names: Set<String>
    private let texts: Set<String>
    private let isWhole: Bool

    /// The number of objects that are read.
    static let sample: UInt32 = 1000

    /// - Parameter isWhole: whether these are all objects of the list.
    init(of contents: some Sequence<Content>, isWhole: Bool) {
        var (names, texts) = (Set<String>(), Set<String>())
        let all = FieldTexts(hints: [:])
        for content in contents {
            names.formUnion(all.texts(of: content).map(\.name))
            for case (let key, .string) in content.map({ ($0.key, $0.value.unwrapped) }) { texts.insert(key) }
        }
        (self.names, self.texts, self.isWhole) = (names, texts, isWhole)
    }

    /// Reads the first objects of a list.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        typealias Row = DBusStruct<String, String, Content>
        let (_, total, rows) = try await adapter.call(
            "GetObjects", UInt32(0), Self.sample, returning: UInt64.self, UInt32.self, [Row].self)
        self.init(of: rows.map(\.members.2), isWhole: rows.count >= Int(total))
    }

    /// Warns of fields that no object has.
    func warn(of fields: [String]) {
        for field in fields where !names.isEmpty && !names.contains(field) {
            Output.complain("\(nobody) has a field “\(field)”; there \(Self.listed(names))")
        }
    }

    /// Warns of fields that no object has, or that are text in none, as a search reads text fields only.
    func warn(ofSearched fields: [String]) {
        warn(of: fields)
        for field in fields where names.contains(field) && !texts.contains(field) {
            Output.complain(
                "\(nobody) has text in “\(field)”; --in looks into text: "
                    + (texts.isEmpty ? "there is none" : "there \(Self.listed(texts))"))
        }
    }

    private var nobody: String { isWhole ? "no object" : "none of the first objects" }

    private static func listed(_ names: Set<String>) -> String {
        let some = names.sorted().prefix(20).joined(separator: ", ")
        return (names.count == 1 ? "is " : "are ") + some + (names.count > 20 ? " and others" : "")
    }
}
