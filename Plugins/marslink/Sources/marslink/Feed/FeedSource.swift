// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import PluginAPI

/// Fills a list with journal entries, messages and weather: `marslink/feed` for the sample feed,
/// `marslink/feed?PATH` for a feed from a file.
///
/// A task sends the messages of the sample feed one by one. A file is polled.
final class FeedSource: DataSource {
    private static let maximumFileSize = 1 << 20

    private let context: DataSourceContext
    private let messageInterval: Duration
    private let readInterval: Duration
    private let path: String
    private var faults: [Feed.Fault] = []
    private var receiving: Task<Void, Never>?

    init(_ context: DataSourceContext, messageInterval: Duration) throws {
        path = context.argument
        guard path.isEmpty || path.hasPrefix("/") else {
            throw ListError(
                .invalidArguments,
                "marslink/feed takes the absolute path of a file or no argument, not \(path.shortenedPath)")
        }
        readInterval = try context.settings.duration("ReadInterval") ?? .seconds(1)
        self.messageInterval = messageInterval
        self.context = context
    }

    func start() throws {
        if path.isEmpty {
            try startSample()
        } else {
            context.poll(every: readInterval) { [unowned self] in try readFile() }
        }
    }

    func stop() { receiving?.cancel() }

    // MARK: The sample

    private func startSample() throws {
        let feed = SampleFeed.feed
        context.sink.replace(try feed.objects())
        let pathfinder = Pathfinder(sink: context.sink, logger: context.logger, interval: messageInterval)
        receiving = Task.detached { await pathfinder.sendMessages(extending: feed) }
    }

    // MARK: A file

    private func readFile() throws -> [ListObject] {
        let feed = Feed(lines: try readContent())
        if feed.faults != faults {
            faults = feed.faults
            for fault in faults.prefix(5) { context.logger.warning("\(path):\(fault.line): \(fault.reason)") }
        }
        if feed.entries.isEmpty, let fault = feed.faults.first {
            throw ListError(.invalidObject, "\(path.shortenedPath):\(fault.line): \(fault.reason)")
        }
        return try feed.objects()
    }

    private func readContent() throws -> Data {
        // Without O_NONBLOCK, opening a FIFO without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ListError(.pluginFailed, "\(path.shortenedPath): \(unsafe String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? file.close() }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw ListError(.pluginFailed, "\(path.shortenedPath) is not a regular file")
        }
        let content = try file.read(upToCount: Self.maximumFileSize + 1) ?? Data()
        guard content.count <= Self.maximumFileSize else {
            throw ListError(.payloadTooLarge, "\(path.shortenedPath) has more than \(Self.maximumFileSize) bytes")
        }
        return content
    }
}

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

/// The feed of a list without a file: a few days on Mars.
enum SampleFeed {
    static let landing = Date(timeIntervalSince1970: 2_077_943_400)  // 2035-11-06T06:30:00Z

    /// The feed in the format of a file.
    static let lines = #"""
        {"kind":"weather","id":"weather-12","date":"2035-11-18T16:00:00Z","high":-9,"low":-78,"sunrise":"05:42","sunset":"17:58","condition":"clear"}
        {"kind":"journal","id":"entry-1","date":"2035-11-06T08:00:00Z","author":"Ines","text":"We are down. The dust has settled on the windows, and nobody says a word."}
        {"kind":"journal","id":"entry-2","date":"2035-11-08T19:20:00Z","author":"Ines","text":"The habitat holds its pressure. Two of us slept in it, or tried to: the wind makes the walls hum in a low fifth."}
        {"kind":"journal","id":"entry-3","date":"2035-11-11T17:45:00Z","author":"Ines","text":"First drive. Twelve kilometres out, and the tracks were gone when we came back along them."}
        {"kind":"journal","id":"entry-4","date":"2035-11-15T20:10:00Z","author":"Ines","text":"The beans have come up, all but one row. Pavel talks to that one in the evenings."}
        {"kind":"journal","id":"entry-5","date":"2035-11-18T15:30:00Z","author":"Ines","text":"Dust in the north. The station says three days; the barometer says two."}
        {"kind":"message","id":"message-1","date":"2035-11-06T09:10:00Z","author":"Ground","text":"Welcome to Mars. You were eleven minutes late, and we did not mind."}
        {"kind":"message","id":"message-2","date":"2035-11-12T07:00:00Z","author":"Ground","text":"Please check the left rear wheel before the next drive: its motor drew more current than the others."}
        {"kind":"message","id":"message-3","date":"2035-11-16T12:30:00Z","author":"Home","text":"It snowed today. We built one with a helmet."}
        {"kind":"message","id":"message-4","date":"2035-11-18T16:20:00Z","author":"Ground","text":"Storm confirmed. Bring everything inside that you want to find again."}
        """#

    /// The entries of a new list: all but the messages, which arrive one by one.
    static var feed: Feed { Feed(all.entries.filter { !$0.isMessage }) }

    /// The messages, the oldest first.
    static var messages: [FeedEntry] { all.entries.filter(\.isMessage).reversed() }

    private static var all: Feed { Feed(lines: Data(lines.utf8)) }
}

/// Simulates the messages from Earth: sends those of the sample feed at intervals, like the Pathfinder class of
/// IGListKit's tutorial.
///
/// It runs as a task outside of listd's executors, with only the sink of the list.
struct Pathfinder: Sendable {
    let sink: DataSourceSink
    let logger: PluginLogger
    /// The time between two messages.
    let interval: Duration

    /// Sends all messages; ends early when its task is cancelled.
    func sendMessages(extending shown: Feed) async {
        var feed = shown
        for message in SampleFeed.messages {
            do {
                try await Task.sleep(for: interval)
                sink.changes(upserts: [try feed.insert(message)])
            } catch is CancellationError {
                return
            } catch {
                logger.error("marslink/feed: \(error)")
            }
        }
    }
}
