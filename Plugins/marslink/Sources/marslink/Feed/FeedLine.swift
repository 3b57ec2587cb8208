// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A line of a feed's file: one JSON object with `kind`, `id`, `date` (ISO 8601) and the fields of the kind.
struct FeedLine: Decodable {
    private enum Kind: String, Decodable { case journal, message, weather }
    private enum Key: String, CodingKey {
        case kind, id, date, author, text, high, low, sunrise, sunset, condition
    }

    let entry: FeedEntry

    init(from decoder: any Decoder) throws {
        let line = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String { try line.decode(String.self, forKey: key) }
        let id = try text(.id)
        let dateText = try text(.date)
        guard let date = try? Date(dateText, strategy: .iso8601) else {
            throw DecodingError.dataCorruptedError(forKey: .date, in: line, debugDescription: "not a time")
        }
        switch try line.decode(Kind.self, forKey: .kind) {
        case .journal:
            entry = .journal(JournalEntry(id: id, date: date, author: try text(.author), text: try text(.text)))
        case .message:
            entry = .message(Message(id: id, date: date, author: try text(.author), text: try text(.text)))
        case .weather:
            entry = .weather(
                Weather(
                    id: id, date: date, high: try line.decode(Int.self, forKey: .high),
                    low: try line.decode(Int.self, forKey: .low), sunrise: try text(.sunrise),
                    sunset: try text(.sunset), condition: try text(.condition)))
        }
    }
}
