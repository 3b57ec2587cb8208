// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// The entries of the feed, of all kinds in one list, the newest first.
struct Feed: Equatable, Sendable {
    /// An error in a line of a feed's file.
    struct Fault: Equatable, Sendable {
        var line: Int
        var reason: String
    }

    /// The entries in the order of the list, each identifier once.
    private(set) var entries: [FeedEntry] = []
    /// The skipped lines, with the reasons.
    private(set) var faults: [Fault] = []

    init(_ entries: [FeedEntry]) {
        var seen: Set<String> = []
        self.entries = entries.filter { seen.insert($0.id).inserted }.sorted { $0.isBefore($1) }
    }

    /// Parses lines of JSON. Empty lines are skipped. Of several entries with one identifier, the last one is used.
    init(lines: Data) {
        let decoder = JSONDecoder()
        var entries: [FeedEntry] = []
        var faults: [Fault] = []
        let lines = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.contains(where: { $0 > UInt8(ascii: " ") }) {
            do {
                entries.append(try decoder.decode(FeedLine.self, from: line).entry)
            } catch {
                faults.append(Fault(line: index + 1, reason: Self.reason(error)))
            }
        }
        self.init(entries.reversed())
        self.faults = faults
    }

    /// Returns all entries as objects of a list.
    func objects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        for entry in entries { objects.append(try entry.object()) }
        return objects
    }

    /// Inserts an entry, replacing any entry with its identifier, and returns the change for the list.
    mutating func insert(_ entry: FeedEntry) throws(ListError) -> UpdateRequest.Upsert {
        let object = try entry.object()
        entries.removeAll { $0.id == entry.id }
        let index = entries.firstIndex { entry.isBefore($0) } ?? entries.count
        entries.insert(entry, at: index)
        return UpdateRequest.Upsert(object, position: index == 0 ? .first : .after(entries[index - 1].id))
    }

    /// Returns the reason why a line could not be decoded, in a few words.
    private static func reason(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "the key “\(key.stringValue)” is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(context.codingPath.last.map { "the key “\($0.stringValue)”" } ?? "the line") has the wrong type"
        case .dataCorrupted(let context):
            context.codingPath.last.map { "the key “\($0.stringValue)” cannot be read" } ?? "the line is not JSON"
        default: "\(error)"
        }
    }
}
