// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The names of the fields of a list's first objects, for warnings about field names that may be mistyped.
struct KnownFields {
    private let names: Set<String>
    /// The names of fields whose value is a text in at least one object.
    private let textNames: Set<String>
    private let isWhole: Bool

    /// The maximum number of objects that are read.
    static let sampleSize: UInt32 = 1000

    /// - Parameter isWhole: whether the contents are those of all objects of the list.
    init(of contents: some Sequence<Content>, isWhole: Bool) {
        var (names, texts) = (Set<String>(), Set<String>())
        let all = FieldTexts(hints: [:])
        for content in contents {
            names.formUnion(all.texts(of: content).map(\.name))
            for case (let key, .string) in content.map({ ($0.key, $0.value.unwrapped) }) { texts.insert(key) }
        }
        (self.names, textNames, self.isWhole) = (names, texts, isWhole)
    }

    /// Reads the first objects of a list.
    @DBusActor
    init(of adapter: RemoteObject) async throws(DBusError) {
        typealias Row = DBusStruct<String, String, Content>
        let (_, _, total, rows) = try await adapter.call(
            "GetObjects", UInt32(0), Self.sampleSize, returning: String.self, UInt64.self, UInt32.self, [Row].self)
        self.init(of: rows.map(\.members.2), isWhole: rows.count >= Int(total))
    }

    /// Prints a warning for each field that no object has.
    func warn(aboutUnknown fields: [String]) {
        for field in fields where !names.isEmpty && !names.contains(field) {
            Output.printMessage("\(subject) has a field “\(field)”; the fields are \(Self.listed(names))")
        }
    }

    /// Prints a warning for each field that no object has, or whose value is a text in no object. A search reads text
    /// fields only.
    func warn(aboutSearched fields: [String]) {
        warn(aboutUnknown: fields)
        for field in fields where names.contains(field) && !textNames.contains(field) {
            Output.printMessage(
                "\(subject) has text in the field “\(field)”; --in searches text fields only: "
                    + (textNames.isEmpty ? "there are none" : Self.listed(textNames)))
        }
    }

    /// The subject of a warning's sentence.
    private var subject: String { isWhole ? "no object" : "none of the first objects" }

    private static func listed(_ names: Set<String>) -> String {
        names.sorted().prefix(20).joined(separator: ", ") + (names.count > 20 ? " and others" : "")
    }
}
