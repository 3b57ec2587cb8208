// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport
internal import PluginAPI

/// The reader of a worker's standard output and standard error, which have the plugin's output and the crash messages.
///
/// Output is always read, so that no plugin blocks forever. The rate is limited to protect the event loop: a plugin
/// that prints without end is slowed down.
@DBusActor
final class WorkerOutput {
    /// The maximum number of bytes that are read in one ``stretch``. Each byte may be a line, which takes the event
    /// loop a microsecond.
    private static let bytesInStretch = 4 << 10
    private static let stretch = Duration.milliseconds(10)
    /// The maximum number of bytes that are read after the end, the default capacity of a pipe (pipe(7)).
    private static let bytesAtEnd = 64 << 10
    /// The maximum number of lines, of the last second, that the reason of a death quotes.
    private static let lastLines = 2

    private static let traceHead = Array("Current stack trace:".utf8)
    /// The maximum number of lines of a process that count as backtrace, since a plugin can print such lines itself.
    private static let mostTraceLines = 100

    private let readingEnd: FileDescriptor
    private let handleLine: (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    private var watch: DescriptorWatch?
    /// Keeps one byte more than the log shows, so that the log marks a longer line as truncated.
    private var lines = OutputLines(greatestLength: PluginLogger.greatestLength + 1)
    private var latest: [(line: [UInt8], time: ContinuousClock.Instant)] = []
    /// The lines of a backtrace that are not passed on yet.
    private var trace: [[UInt8]] = []
    private var traceLines = 0
    private var stretchStart = ContinuousClock.now
    private var bytesRead = 0

    /// Makes a pipe and begins to read, until ``close()`` or ``finish()``.
    ///
    /// - Parameter handleLine: called with the bytes of each line (``text(of:)``), and whether the line belongs to a
    ///   backtrace.
    /// - Returns: the reader, and the writing end for the process.
    static func open(
        _ handleLine: @escaping (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    ) throws(ListError) -> (output: WorkerOutput, writingEnd: FileDescriptor) {
        var ends: (read: Int32, write: Int32) = (-1, -1)
        guard unsafe listd_pipe(&ends.read, &ends.write) == 0 else { throw failure(SystemError.text(errno)) }
        let writingEnd = FileDescriptor(adopting: ends.write)
        return (try WorkerOutput(FileDescriptor(adopting: ends.read), handleLine), writingEnd)
    }

    private init(
        _ readingEnd: FileDescriptor, _ handleLine: @escaping (_ line: [UInt8], _ isBacktrace: Bool) -> Void
    ) throws(ListError) {
        self.readingEnd = readingEnd
        self.handleLine = handleLine
        let number = readingEnd.rawValue
        guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { throw Self.failure(SystemError.text(errno)) }
        do throws(DBusError) {
            watch = try EventLoop.shared.watch(number, for: .readable) { [weak self] _ in self?.readWithinRate() }
        } catch {
            throw Self.failure(error.message)
        }
    }

    private static func failure(_ cause: String) -> ListError {
        ListError(.pluginFailed, "the worker's output cannot be read", cause: cause)
    }

    /// Returns a line as the log shows it: truncated to its maximum length, with control characters escaped.
    nonisolated static func text(of line: [UInt8]) -> String {
        LogEntry.printable(PluginLogger.shortened(String(decoding: line, as: UTF8.self)))
    }

    /// Reads the remaining output of a process that has ended, and stops reading.
    ///
    /// - Returns: the last lines, if the process wrote any in the last second.
    func finish() -> String? {
        var left = Self.bytesAtEnd
        while watch != nil, left > 0, let count = readOnce() { left -= count }
        lines.finish(record)
        passTrace()
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

    private func readWithinRate() {
        let now = ContinuousClock.now
        if stretchStart + Self.stretch <= now { (stretchStart, bytesRead) = (now, 0) }
        bytesRead += readOnce() ?? 0
        guard bytesRead >= Self.bytesInStretch else { return }
        watch?.setInterest([])
        EventLoop.shared.addTimer(after: Self.stretch) { [weak self] in self?.watch?.setInterest(.readable) }
    }

    /// Reads once. Returns the number of bytes; nil if there are none at present.
    private func readOnce() -> Int? {
        // The capacity of the array is the number of requested bytes.
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.bytesInStretch) { buffer, count in
            result = unsafe read(readingEnd.rawValue, buffer.baseAddress, buffer.count)
            count = max(0, result)
        }
        // End of file: no process has the writing end any more, and the descriptor would stay readable for ever.
        if result == 0 { close() }
        guard result > 0 else { return nil }
        lines.append(bytes[...], record)
        return bytes.count
    }

    private func record(_ line: [UInt8]) {
        // A backtrace is the line `traceHead`, and lines that begin with a digit. Of a fatal error in code that is not
        // optimised, Swift's runtime prints one without places in files; the worker's own, which follows, replaces it.
        let isHead = line == Self.traceHead
        if isHead {
            traceLines -= trace.count
            trace = []
        }
        let isTrace = isHead || !trace.isEmpty && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[0])
        if isTrace, traceLines < Self.mostTraceLines {
            trace.append(line)
            traceLines += 1
        } else {
            passTrace()
            handleLine(line, false)
            latest = latest.suffix(Self.lastLines - 1) + [(line, .now)]
        }
    }

    private func passTrace() {
        for line in trace { handleLine(line, true) }
        trace = []
    }
}

/// A splitter of a process's output into lines, which truncates each line to the length that the log shows.
struct OutputLines {
    /// The maximum length of a line in bytes; the rest is dropped.
    private let greatestLength: Int
    private var line: [UInt8] = []

    /// Makes a splitter for new output.
    init(greatestLength: Int) {
        self.greatestLength = greatestLength
    }

    /// Appends the next bytes, and calls `body` with each line that is complete then, except for empty lines.
    mutating func append(_ bytes: ArraySlice<UInt8>, _ body: ([UInt8]) -> Void) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            appendToLine(rest[..<end])
            finish(body)
            rest = rest[(end + 1)...]
        }
        appendToLine(rest)
    }

    /// Calls `body` with the line so far, if it is not empty.
    mutating func finish(_ body: ([UInt8]) -> Void) {
        guard !line.isEmpty else { return }
        body(line)
        line.removeAll(keepingCapacity: true)
    }

    private mutating func appendToLine(_ bytes: ArraySlice<UInt8>) { line += bytes.prefix(greatestLength - line.count) }
}
