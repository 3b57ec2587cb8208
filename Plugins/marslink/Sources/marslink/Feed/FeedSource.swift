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
