// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport
internal import PluginAPI

/// What a worker writes to its standard output and standard error: what its plugin prints, and what it dies of.
///
/// Output is always read, so that no plugin waits for ever, but not faster than the loop has time for: a plugin that
/// prints without end waits a little.
@DBusActor
final class WorkerOutput {
    /// How much is read in one stretch of time, in bytes: each may be a line, which takes the loop a microsecond.
    private static let bytesInStretch = 4 << 10
    private static let stretch = Duration.milliseconds(10)
    /// How much is read after the end; as much as a pipe has room for, unless somebody has changed that (pipe(7)).
    private static let bytesAtEnd = 64 << 10
    /// How many lines of the last second count as the last words.
    private static let lastLines = 2

    private static let traceHead = Array("Current stack trace:".utf8)
    /// How many lines of a process are taken for those of a backtrace; a plugin can print such lines too.
    private static let mostTraceLines = 100

    private let readingEnd: FileDescriptor
    private let take: (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    private var watch: DescriptorWatch?
    /// One byte more than is shown, so that a longer line is seen to be one.
    private var lines = OutputLines(greatestLength: PluginLogger.greatestLength + 1)
    private var latest: [(line: [UInt8], time: ContinuousClock.Instant)] = []
    private var isTrace = false
    private var traceLines = 0
    private var stretchStart = ContinuousClock.now
    private var bytesRead = 0

    /// Makes a pipe and begins to read; ``close()`` or ``finish()`` ends that.
    ///
    /// - Parameter take: gets each line, as its bytes (``text(of:)``), and whether it is one of a backtrace.
    /// - Returns: the reader, and the end that the process is to have.
    static func open(
        _ take: @escaping (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    ) throws(ListError) -> (output: WorkerOutput, writingEnd: FileDescriptor) {
        var ends: (read: Int32, write: Int32) = (-1, -1)
        guard unsafe listd_pipe(&ends.read, &ends.write) == 0 else { throw failure(SystemError.text(errno)) }
        let writingEnd = FileDescriptor(adopting: ends.write)
        return (try WorkerOutput(FileDescriptor(adopting: ends.read), take), writingEnd)
    }

    private init(
        _ readingEnd: FileDescriptor, _ take: @escaping (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    ) throws(ListError) {
        self.readingEnd = readingEnd
        self.take = take
        let number = readingEnd.rawValue
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw Self.failure(SystemError.text(errno)) }
        do throws(DBusError) {
            watch = try EventLoop.shared.watch(number, for: .readable) { [weak self] _ in self?.readInTurn() }
        } catch {
            throw Self.failure(error.message)
        }
    }

    private static func failure(_ cause: String) -> ListError {
        ListError(.pluginFailed, "the worker's output cannot be read", cause: cause)
    }

    /// A line as a log shows it.
    nonisolated static func text(of line: [UInt8]) -> String {
        LogEntry.printable(PluginLogger.shortened(String(decoding: line, as: UTF8.self)))
    }

    /// Takes what is left of a process that has ended.
    ///
    /// - Returns: its last words, if it reported any shortly before.
    func finish() -> String? {
        var left = Self.bytesAtEnd
        while watch != nil, left > 0, let count = readOnce() { left -= count }
        lines.finish(add)
        close()
        let now = ContinuousClock.now
        let words = latest.filter { $0.time + .seconds(1) > now }.map { Self.text(of: $0.line) }
        return words.isEmpty ? nil : words.joined(separator: " / ")
    }

    /// Stops reading; a later write of the process fails when the reader is released.
    func close() {
        watch?.cancel()
        watch = nil
    }

    private func readInTurn() {
        let now = ContinuousClock.now
        if stretchStart + Self.stretch <= now { (stretchStart, bytesRead) = (now, 0) }
        bytesRead += readOnce() ?? 0
        guard bytesRead >= Self.bytesInStretch else { return }
        watch?.setInterest([])
        EventLoop.shared.addTimer(after: Self.stretch) { [weak self] in self?.watch?.setInterest(.readable) }
    }

    /// Reads once; answers how many bytes there were, or nil if there is nothing now.
    private func readOnce() -> Int? {
        // The array has room for as many bytes as are asked for.
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.bytesInStretch) { buffer, count in
            result = unsafe read(readingEnd.rawValue, buffer.baseAddress, buffer.count)
            count = max(0, result)
        }
        // No process can write any more; without this the loop would be called again and again.
        if result == 0 { close() }
        guard result > 0 else { return nil }
        lines.append(bytes[...], add)
        return bytes.count
    }

    private func add(_ line: [UInt8]) {
        // Swift's runtime prints the error, then a backtrace: the line `traceHead`, and lines that begin with a digit.
        isTrace = line == Self.traceHead || isTrace && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[0])
        if isTrace { traceLines += 1 }
        take(line, isTrace && traceLines <= Self.mostTraceLines)
        if !isTrace { latest = latest.suffix(Self.lastLines - 1) + [(line, .now)] }
    }
}
