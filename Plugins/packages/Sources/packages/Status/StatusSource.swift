// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Lists the installed packages, and follows dpkg's changes: `packages/installed?PATH`.
///
/// While dpkg works, it writes its status file many times. The list is updated after ``quietTime`` without a write,
/// or after ``maximumDelays`` writes. When the file cannot be read, the list keeps its objects and fails, and the
/// source tries again.
final class StatusSource: DataSource {
    private static let quietTime = Duration.milliseconds(100)
    private static let maximumDelays = 10
    private static let retryTime = Duration.seconds(1)

    private let context: DataSourceContext
    private let path: String
    private let showsAll: Bool
    private var shown: FileVersion?
    private var following: DataSourceActivity?
    private var quiet: DataSourceActivity?
    private var delays = 0
    private var failure: String?

    init(_ context: DataSourceContext, usualPath: String) throws {
        let argument = try DataSourceArgument(context.argument) { $0 == "all" }
        path = argument.subject.isEmpty ? usualPath : argument.subject
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments,
                "packages/installed needs the absolute path of a status file, not \(path.shortenedPath)")
        }
        showsAll = try argument.options.boolean("all") ?? false
        self.context = context
    }

    func start() { open() }

    /// Watches the file and then reads it, so that changes in between are not lost.
    private func open() {
        do {
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            let watch = try StatusWatch(directory: slash == path.startIndex ? "/" : String(path[..<slash]))
            following = context.whenReadable(watch.descriptor) { [unowned self] in
                if watch.drain() { return fail("\(path): the directory is gone") }
                scheduleRead()
            }
            try readFile()
        } catch {
            fail(error)
        }
    }

    /// Delays reading the file until writes have stopped for ``quietTime``, at most ``maximumDelays`` times.
    private func scheduleRead() {
        if delays < Self.maximumDelays { quiet?.cancel() } else if quiet != nil { return }
        delays += 1
        quiet = context.after(Self.quietTime) { [unowned self] in
            quiet = nil
            delays = 0
            do { try readFile() } catch { fail(error) }
        }
    }

    private func readFile() throws {
        guard let file = try WholeFile(path: path, unlessVersion: shown) else { return }
        let status = StatusFile(file.bytes)
        if status.packages.isEmpty, !file.bytes.isEmpty {
            throw ListError(.invalidObject, "\(path.shortenedPath): the file contains no package")
        }
        if let line = status.firstUnreadableLine {
            context.logger.warning(
                "\(path):\(line): the first of \(status.unreadableCount) skipped stanzas lacks Package or Status"
            )
        }
        context.sink.replace(try Letters(status.packages.filter { showsAll || $0.isPresent }).objects())
        shown = file.version
        failure = nil
    }

    private func fail(_ error: any Error) { fail((error as? ListError)?.message ?? "\(error)") }

    /// Reports an error, unless it was the last one reported, and tries again later.
    private func fail(_ message: String) {
        following?.cancel()
        following = nil
        quiet?.cancel()
        quiet = nil
        delays = 0
        shown = nil
        if failure != message {
            failure = message
            context.sink.failed(message)
        }
        context.after(Self.retryTime) { [unowned self] in open() }
    }
}
