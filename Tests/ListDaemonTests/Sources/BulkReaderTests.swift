// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
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

/// The two ends of a pipe or of a pair of sockets.
private struct Stream {
    let reading: FileDescriptor
    let writing: FileDescriptor

    static func pipe() throws -> Stream {
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        return Stream(reading: FileDescriptor(adopting: ends[0]), writing: FileDescriptor(adopting: ends[1]))
    }

    static func sockets() throws -> Stream {
        var ends: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return Stream(reading: FileDescriptor(adopting: ends[0]), writing: FileDescriptor(adopting: ends[1]))
    }

    /// Sets the size of a pipe's buffer (F_SETPIPE_SZ in fcntl(2)). Returns whether the pipe has that size.
    func setCapacity(_ size: Int) -> Bool {
        // Swift does not import variadic functions.
        typealias Call = @convention(c) (Int32, Int32, Int) -> Int32
        let call = unsafe dlsym(nil, "fcntl").map { unsafe unsafeBitCast($0, to: Call.self) }
        return call?(writing.rawValue, 1031, size) == Int32(size)
    }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(unsafe Glibc.write(writing.rawValue, bytes, bytes.count) == bytes.count)
    }
}

@Suite("Reading lists from file descriptors of clients", .timeLimit(.minutes(1)))
struct BulkReaderTests {
    private let user: UInt32 = 1000
    private let wanted = try? [object("a", 1), object("b", 2)]
    private let text = line("a", 1) + line("b", 2)

    private func fault(_ reader: BulkReader, _ file: FileDescriptor) async -> ListError? {
        do throws(ListError) {
            _ = try await reader.objects(from: file, user: user)
            return nil
        } catch {
            return error
        }
    }

    private func open(_ path: String, _ flags: Int32 = O_RDONLY) throws -> FileDescriptor {
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC)
        try #require(descriptor >= 0)
        return FileDescriptor(adopting: descriptor)
    }

    @Test("a client passes a sealed memory file → its objects are read in place, because nobody can change the file")
    func memory() async throws {
        let file = try SealedMemory.file(named: "test", containing: Array(text.utf8))
        #expect(try await BulkReader().objects(from: file, user: user) == wanted)
        #expect(unsafe write(file.rawValue, "x", 1) == -1 && errno == EPERM)
        #expect(ftruncate(file.rawValue, 0) == -1 && errno == EPERM)
        #expect(lseek(file.rawValue, 0, SEEK_CUR) == 0)
        let empty = try SealedMemory.file(named: "empty", containing: [])
        #expect(try await BulkReader().objects(from: empty, user: user).isEmpty)
    }

    @Test("a file has any offset → it is read from its start, and the offset is unchanged")
    func file() async throws {
        let directory = TemporaryDirectory()
        try Writing.write(text, to: directory.file("f"))
        let file = try open(directory.file("f"))
        try #require(lseek(file.rawValue, 5, SEEK_SET) == 5)
        #expect(try await BulkReader().objects(from: file, user: user) == wanted)
        #expect(lseek(file.rawValue, 0, SEEK_CUR) == 5)
    }

    @Test("a pipe or a socket is filled slowly → it is read to the end", arguments: [true, false])
    func stream(isPipe: Bool) async throws {
        let stream = try isPipe ? Stream.pipe() : Stream.sockets()
        let reader = BulkReader()
        async let objects = reader.objects(from: stream.reading, user: user)
        for character in text { try stream.write(String(character)) }
        shutdown(stream.writing.rawValue, Int32(SHUT_WR))
        if isPipe { dup2(stream.reading.rawValue, stream.writing.rawValue) }
        #expect(try await objects == wanted)
    }

    @Test("the writer closes a pipe that still contains 1 MiB → all of the data is read")
    func fullPipe() async throws {
        let half = 1 << 20
        let (start, end) = (#"{"id":"a","type":"row","fields":{"text":""#, "\"}}\n")
        let text = start + String(repeating: "x", count: 2 * half - start.utf8.count - end.utf8.count) + end
        for _ in 0..<10 {
            let stream = try Stream.pipe()
            // 1 MiB is the largest size that every user may set.
            try #require(stream.setCapacity(half))
            let writing = stream.writing
            let bytes = Array(text.utf8)
            let reader = BulkReader()
            Thread.detachNewThread {
                _ = unsafe write(writing.rawValue, bytes, bytes.count)
                dup2(0, writing.rawValue)
            }
            #expect(try await reader.objects(from: stream.reading, user: user).count == 1)
        }
    }

    @Test("data exceeds a pipe's buffer while other descriptors are being read → all data is read")
    func manyLargeStreams() async throws {
        let count = 20000
        try await withThrowingTaskGroup(of: Int.self) { group in
            let reader = BulkReader()
            for _ in 0..<4 {
                let stream = try Stream.pipe()
                let writing = stream.writing
                group.addTask { try await reader.objects(from: stream.reading, user: user).count }
                let text = (0..<count).map { line("i\($0)", $0) }.joined()
                Thread.detachNewThread {
                    var rest = Array(text.utf8)[...]
                    while !rest.isEmpty {
                        let written = unsafe rest.withUnsafeBytes {
                            unsafe write(writing.rawValue, $0.baseAddress, $0.count)
                        }
                        if written <= 0 { break }
                        rest = rest.dropFirst(written)
                    }
                    dup2(0, writing.rawValue)
                }
            }
            for try await number in group { #expect(number == count) }
        }
    }

    @Test("a descriptor is not a readable file, pipe or socket → InvalidArgs names the descriptor's kind")
    func refused() async throws {
        let events = FileDescriptor(adopting: inotify_init1(0))
        let pipe = try Stream.pipe()
        let listening = FileDescriptor(adopting: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        let cases = try [
            (open("/", O_RDONLY), "file: the descriptor is a directory"),
            (open("/dev/null"), "file: the descriptor is a device"),
            (open("/dev/zero"), "file: the descriptor is a device"),
            (events, "file: the descriptor is not a file, pipe or socket"),
            (pipe.writing, "file: the descriptor cannot be read"), (listening, "file: the descriptor cannot be read"),
            (open("/dev/null", O_WRONLY), "file: the descriptor is a device"),
        ]
        for (file, message) in cases {
            let error = await fault(BulkReader(), file)
            #expect(error?.code == .invalidArguments && error?.message == message)
        }
        let directory = TemporaryDirectory()
        try Writing.write(text, to: directory.file("f"))
        let error = await fault(BulkReader(), try open(directory.file("f"), O_WRONLY))
        #expect(error?.message == "file: the descriptor cannot be read")
    }

    @Test("a line is malformed → InvalidObject has the line number")
    func malformed() async throws {
        let file = try SealedMemory.file(named: "test", containing: Array((text + "\n{}\n").utf8))
        #expect(await fault(BulkReader(), file) == ListError(.invalidObject, "line 4: the object has no id"))
    }

    @Test("a file or a pipe has more bytes than a call may pass → PayloadTooLarge")
    func tooLarge() async throws {
        var limits = BulkReader.Limits()
        limits.fileBytes = text.utf8.count
        let reader = BulkReader(limits: limits)
        let exact = try SealedMemory.file(named: "test", containing: Array(text.utf8))
        #expect(await fault(reader, exact) == nil)
        let file = try SealedMemory.file(named: "test", containing: Array((text + "\n").utf8))
        #expect(await fault(reader, file)?.code == .payloadTooLarge)
        let stream = try Stream.pipe()
        try stream.write(text + "\n")
        #expect(await fault(reader, stream.reading)?.code == .payloadTooLarge)
    }

    @Test("no further data arrives within the timeout → InvalidArgs, even if some data has arrived")
    func idle() async throws {
        var limits = BulkReader.Limits()
        limits.idleTime = .milliseconds(20)
        let stream = try Stream.pipe()
        try stream.write(text)
        let error = await fault(BulkReader(limits: limits), stream.reading)
        #expect(error?.code == .invalidArguments && error?.message == "no data arrived from the file for 0.02 seconds")
    }

    @Test("one user exhausts the memory for calls → LimitsExceeded for only this user, until memory is released")
    func memoryPerUser() async throws {
        var limits = BulkReader.Limits()
        limits.bytesPerUser = text.utf8.count + 10
        let reader = BulkReader(limits: limits)
        let held = try Stream.sockets()
        try held.write(text)
        let first = Task { try await reader.objects(from: held.reading, user: user) }
        let file = try SealedMemory.file(named: "test", containing: Array(text.utf8))
        // No other user reads in the meantime, because another call could take the memory that the first call
        // needs.
        while reader.bytesHeld(for: user) < text.utf8.count { await Task.yield() }
        #expect(await fault(reader, file)?.code == .limitsExceeded)
        #expect(try await reader.objects(from: file, user: user + 1) == wanted)
        shutdown(held.writing.rawValue, Int32(SHUT_WR))
        #expect(try await first.value == wanted)
        #expect(await fault(reader, file) == nil)
    }

    @Test("a pipe reserves FileBytes, a file its size → a read above the user's limit fails with LimitsExceeded")
    func reserved() async throws {
        var limits = BulkReader.Limits()
        limits.fileBytes = 100
        limits.bytesPerUser = 256
        let reader = BulkReader(limits: limits)
        let pipes = try [Stream.pipe(), Stream.sockets()]
        let reads = pipes.map { stream in Task { try await reader.objects(from: stream.reading, user: user) } }
        while reader.bytesHeld(for: user) < 200 { await Task.yield() }
        let third = try Stream.pipe()
        #expect(await fault(reader, third.reading)?.code == .limitsExceeded)
        func file(_ size: Int) throws -> FileDescriptor {
            try SealedMemory.file(named: "test", containing: Array(repeating: UInt8(ascii: "\n"), count: size))
        }
        #expect(await fault(reader, try file(57))?.code == .limitsExceeded)
        #expect(await fault(reader, try file(56)) == nil)
        #expect(await fault(reader, try file(101))?.code == .payloadTooLarge)
        for stream in pipes { shutdown(stream.writing.rawValue, Int32(SHUT_WR)) }
        dup2(0, pipes[0].writing.rawValue)
        for read in reads { #expect(try await read.value == []) }
        #expect(reader.bytesHeld == 0)
        #expect(await fault(reader, try file(57)) == nil)
    }

    @Test("FileBytes exceeds a user's limit for reading → a single call is read nevertheless")
    func largeFiles() async throws {
        var limits = BulkReader.Limits()
        limits.bytesPerUser = 10
        limits.fileBytes = 1000
        let reader = BulkReader(limits: limits)
        let stream = try Stream.pipe()
        let read = Task { try await reader.objects(from: stream.reading, user: user) }
        while reader.bytesHeld(for: user) < 1000 { await Task.yield() }
        let file = try SealedMemory.file(named: "test", containing: Array(text.utf8))
        #expect(await fault(reader, file)?.code == .limitsExceeded)
        try stream.write(text)
        dup2(0, stream.writing.rawValue)
        #expect(try await read.value == wanted)
        #expect(try await reader.objects(from: file, user: user) == wanted)
    }

    @Test("data and the end of many pipes arrive at once → each is read to its end", .timeLimit(.minutes(5)))
    func manyEnds() async throws {
        let reader = BulkReader()
        let count = ProcessInfo.processInfo.environment["LISTD_SOAK"] == nil ? 2000 : 100_000
        for _ in 0..<count {
            let stream = try Stream.pipe()
            let read = Task { try await reader.objects(from: stream.reading, user: user) }
            while reader.bytesHeld == 0 { await Task.yield() }
            try stream.write(text)
            dup2(0, stream.writing.rawValue)
            #expect(try await read.value == wanted)
        }
    }

    @Test("the caller disconnects → reading is cancelled")
    func cancelled() async throws {
        let stream = try Stream.pipe()
        let reader = BulkReader()
        let task = Task { await fault(reader, stream.reading) }
        task.cancel()
        #expect(await task.value?.code == .invalidArguments)
    }
}
