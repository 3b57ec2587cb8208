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

/// An entry of the astronaut's journal.
typealias JournalEntry = Note<JournalKind>
/// A message from Earth.
typealias Message = Note<MessageKind>

/// A kind of note, which determines the type of its objects.
protocol NoteKind: Sendable {
    /// The type of the notes' objects in a list.
    static var listType: String { get }
}

enum JournalKind: NoteKind {
    static let listType = "journal"
}

enum MessageKind: NoteKind {
    static let listType = "message"
}

/// A text with an author and a time.
struct Note<Kind: NoteKind>: ListModel, Equatable, Sendable {
    static var listType: String { Kind.listType }

    var id: String
    var date: Date
    var author: String
    var text: String

    var listIdentifier: String { id }
    var listFields: Fields { ["date": date.value, "author": .string(author), "text": .string(text)] }

    init(id: String, date: Date, author: String, text: String) {
        self.id = id
        self.date = date
        self.author = author
        self.text = text
    }

    init(_ object: ListObject) throws(ListError) {
        self.init(
            id: object.id, date: try object.requiredDate(), author: try object.requiredText("author"),
            text: try object.requiredText("text"))
    }
}

/// The weather of one day.
struct Weather: ListModel, Equatable, Sendable {
    static let listType = "weather"

    var id: String
    var date: Date
    /// Degrees Celsius.
    var high: Int
    /// Degrees Celsius.
    var low: Int
    /// Local time, as `05:41`.
    var sunrise: String
    /// Local time.
    var sunset: String
    /// A word, as `dusty`.
    var condition: String

    var listIdentifier: String { id }

    var listFields: Fields {
        [
            "date": date.value, "high": .int64(Int64(high)), "low": .int64(Int64(low)), "sunrise": .string(sunrise),
            "sunset": .string(sunset), "condition": .string(condition),
        ]
    }

    init(id: String, date: Date, high: Int, low: Int, sunrise: String, sunset: String, condition: String) {
        self.id = id
        self.date = date
        self.high = high
        self.low = low
        self.sunrise = sunrise
        self.sunset = sunset
        self.condition = condition
    }

    init(_ object: ListObject) throws(ListError) {
        guard let high = object.fields["high"]?.int, let low = object.fields["low"]?.int else {
            throw ListError(.invalidObject, "the object \(object.id.quoted) has no valid field “high” or “low”")
        }
        self.init(
            id: object.id, date: try object.requiredDate(), high: high, low: low,
            sunrise: try object.requiredText("sunrise"),
            sunset: try object.requiredText("sunset"), condition: try object.requiredText("condition"))
    }
}

extension Date {
    /// The date as a value of the field `date`: microseconds since 1970, clamped to 64 bits.
    var value: Value {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        return .int64(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension ListObject {
    func requiredDate() throws(ListError) -> Date {
        guard let microseconds = fields["date"]?.int else {
            throw ListError(.invalidObject, "the object \(id.quoted) has no valid field “date”")
        }
        return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    func requiredText(_ key: String) throws(ListError) -> String {
        guard let text = fields[key]?.string else {
            throw ListError(.invalidObject, "the object \(id.quoted) has no valid field \(key.quoted)")
        }
        return text
    }
}
