// SPDX-License-Identifier: Apache-2.0

import Glibc
import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

extension TemporaryDirectory {
    /// Returns the path of a file in the directory.
    func file(_ name: String) -> String { path + "/" + name }
}

/// Writes to files as other programs do.
enum Writing {
    /// Replaces the content of the file, as `>` does.
    static func write(_ text: String, to path: String) throws { try open(path, O_TRUNC, text) }

    /// Appends at the end, as `>>` does.
    static func append(_ text: String, to path: String) throws { try open(path, O_APPEND, text) }

    /// Overwrites the beginning and leaves the rest of the file.
    static func overwrite(_ text: String, in path: String) throws { try open(path, 0, text) }

    /// Renames a new file over the file at `path`.
    static func replace(_ path: String, with text: String) throws {
        try write(text, to: path + ".new")
        try rename(path + ".new", to: path)
    }

    static func rename(_ path: String, to other: String) throws {
        try #require(unsafe Glibc.rename(path, other) == 0)
    }

    /// Sets the modification time of a file, in seconds.
    static func setTime(of path: String, to seconds: Int) throws {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        try #require(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    private static func open(_ path: String, _ flags: Int32, _ text: String) throws {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | flags, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }
}

/// An event of a source, in a form that can be compared.
enum Said: Sendable, Equatable {
    case list([ListObject])
    case upserts([ListObject])
    case failed(ListError)
    case fault(ListError?)
    case ready
    case paused
    /// An event that only plugins send.
    case other

    init(_ event: SourceEvent) {
        self =
            switch event {
            case .replace(let objects): .list(objects)
            case .changes(_, let upserts): .upserts(upserts.map(\.object))
            case .failed(let error): .failed(error)
            case .fault(let error): .fault(error)
            case .ready: .ready
            case .paused: .paused
            case .upTo(_, let event): Said(event)
            case .replacementBegan, .page, .replacementEnded, .replacementAbandoned, .written: .other
            }
    }
}

extension EventLog<Said> {
    /// A sink that records the events of a source.
    var sink: SourceSink { { self.record(Said($0)) } }

    /// Returns the next event that changes the list.
    func nextSuccess() async throws -> Said {
        try await next {
            switch $0 {
            case .failed, .fault, .other: false
            case .list, .upserts, .ready, .paused: true
            }
        }
    }

    /// Returns the error of the next event about errors; `nil` = the error is cleared.
    func nextFault() async throws -> ListError? {
        guard case .fault(let error) = try await next() else {
            throw ListError(.invalidArguments, "the event is not about an error")
        }
        return error
    }

    /// Returns the error of the next event, which must report a failure.
    func nextFailure() async throws -> ListError {
        guard case .failed(let error) = try await next() else {
            throw ListError(.invalidArguments, "the event is not a failure")
        }
        return error
    }
}

extension Source {
    /// Stops the source and waits until it has ended.
    func stop() async {
        await withCheckedContinuation { continuation in stop { continuation.resume() } }
    }
}

/// Returns an object with a field `v`, as a line.
func line(_ id: String, _ value: Int) -> String { "{\"id\":\"\(id)\",\"fields\":{\"v\":\(value)}}\n" }

func object(_ id: String, _ value: Int) throws -> ListObject {
    try ListObject(id: id, fields: ["v": .int64(Int64(value))])
}
