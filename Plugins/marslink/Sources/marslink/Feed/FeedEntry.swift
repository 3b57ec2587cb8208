// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PluginAPI

/// An entry of the feed, of any kind.
enum FeedEntry: Equatable, Sendable {
    case journal(JournalEntry)
    case message(Message)
    case weather(Weather)

    var date: Date {
        switch self {
        case .journal(let entry): entry.date
        case .message(let message): message.date
        case .weather(let weather): weather.date
        }
    }

    var id: String {
        switch self {
        case .journal(let entry): entry.id
        case .message(let message): message.id
        case .weather(let weather): weather.id
        }
    }

    var isMessage: Bool { if case .message = self { true } else { false } }

    func object() throws(ListError) -> ListObject {
        switch self {
        case .journal(let entry): try entry.listObject()
        case .message(let message): try message.listObject()
        case .weather(let weather): try weather.listObject()
        }
    }

    /// Returns whether the entry precedes another one in the list: newer entries come first, those of the same time
    /// are sorted by identifier.
    func isBefore(_ other: FeedEntry) -> Bool { date == other.date ? id < other.id : date > other.date }
}
