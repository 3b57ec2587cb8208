// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// Journal, messages and weather in one list, the newest first.
struct Feed: Equatable, Sendable {
    /// An error in a line.
    struct Fault: Equatable, Sendable {
        var line: Int
        var reason: String
    }

    /// In the order of the list, each identifier once.
    private(set) var entries: [FeedEntry] = []
    /// The numbers of skipped lines, and the reasons.
    private(set) var faults: [Fault] = []

    init(_ entries: [FeedEntry]) {
        var seen: Set<String> = []
        self.entries = entries.filter { seen.insert($0.id).inserted }.sorted { $0.isBefore($1) }
    }

    /// Reads lines of JSON; empty lines are skipped, the last of several entries with one identifier counts.
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

    /// The whole list.
    func objects() throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        for entry in entries { objects.append(try entry.object()) }
        return objects
    }

    /// Adds an entry, or replaces the one with its identifier; returns the changes for a list.
    mutating func insert(_ entry: FeedEntry) throws(ListError) -> UpdateRequest.Upsert {
        let object = try entry.object()
        entries.removeAll { $0.id == entry.id }
        let index = entries.firstIndex { entry.isBefore($0) } ?? entries.count
        entries.insert(entry, at: index)
        return UpdateRequest.Upsert(object, position: index == 0 ? .first : .after(entries[index - 1].id))
    }

    /// The reason why a line is no entry, in a few words.
    private static func reason(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "no \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(context.codingPath.last?.stringValue ?? "the line") has the wrong type"
        case .dataCorrupted(let context):
            context.codingPath.last.map { "\($0.stringValue) cannot be read" } ?? "not JSON"
        default: "\(error)"
        }
    }
}
