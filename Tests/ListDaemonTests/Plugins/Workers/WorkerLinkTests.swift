// SPDX-License-Identifier: Apache-2.0

import CLinux
import DBus
import Dispatch
import Foundation
import Glibc
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListSources
@testable import ListSupport
@testable import ListWorkers

@Suite("The socket between the daemon and a worker", .timeLimit(.minutes(2)))
@DBusActor
struct WorkerLinkTests {
    /// What an end of a link has heard.
    private enum Heard: Sendable, Equatable {
        case message([UInt8], isLight: Bool = true)
        case end(String?)
    }

    /// The daemon's end, which reads, and the worker's socket.
    private struct Stage {
        let link: WorkerLink
        let other: FileDescriptor
        let heard = EventLog<Heard>()

        @DBusActor
        init() throws {
            (link, other) = try WorkerLink.makePair()
            try link.begin { [heard] in
                heard.record(.message($0, isLight: $1))
            } onEnd: { [heard] in
                heard.record(.end($0))
            }
        }

        /// Sends bytes, which need not be a message, and descriptors that need not be right.
        func send(_ bytes: [UInt8], _ files: [Int32] = []) -> Bool {
            unsafe listd_send_packet(other.rawValue, bytes, bytes.count, files, files.count, 1) == 0
        }

        func next() async throws -> Heard { try await heard.next(timeout: .seconds(60)) }
    }

    private func encoded(_ bytes: [UInt8]) -> [UInt8] { WireWriter.bytes(of: bytes) }

    private func bytes(_ count: Int, _ first: UInt8 = 1) -> [UInt8] {
        (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }

    /// Returns a packet whose encoded value has this size.
    private func packet(of size: Int) throws -> WorkerPacket {
        let text = (0..<10).lazy.map { WireWriter.bytes(of: String(repeating: "x", count: size - $0)).count }
        let prefix = try #require(text.firstIndex(of: size))
        return try WorkerPacket(String(repeating: "x", count: size - prefix))
    }

    @Test("packets with and without files are sent → the other end gets them whole and in order")
    func order() async throws {
        let stage = try Stage()
        let worker = WorkerLink(stage.other)
        let small = (0..<3).map { bytes(2, $0) }
        let (middle, large) = (bytes(WorkerPacket.inlineBytes / 4), bytes(2 * WorkerPacket.inlineBytes))
        let packets = try (small + [middle, large]).map { try WorkerPacket($0) }
        Thread.detachNewThread { for packet in (0..<100).flatMap({ _ in packets }) { try? worker.sendAndWait(packet) } }
        for _ in 0..<100 {
            for bytes in small { #expect(try await stage.next() == .message(bytes)) }
            for bytes in [middle, large] { #expect(try await stage.next() == .message(bytes, isLight: false)) }
        }
        stage.link.close()
    }

    @Test("a value has the greatest size of a packet → it is sent whole; it has one byte more → it is sent as a file")
    func limit() async throws {
        let stage = try Stage()
        let worker = WorkerLink(stage.other)
        for (size, isFile) in [(WorkerPacket.inlineBytes, false), (WorkerPacket.inlineBytes + 1, true)] {
            let packet = try packet(of: size)
            if case .file = packet { #expect(isFile) } else { #expect(!isFile) }
            try worker.sendAndWait(packet)
            #expect(try await stage.next() == .message(packet.value(), isLight: false))
        }
        stage.link.close()
    }

    @Test("the buffers of sockets are smaller than usual → packets that do not fit into them are sent as files")
    func smallBuffer() async throws {
        let stage = try Stage()
        var size: Int32 = 4096
        let length = socklen_t(MemoryLayout.size(ofValue: size))
        #expect(unsafe setsockopt(stage.other.rawValue, SOL_SOCKET, SO_SNDBUF, &size, length) == 0)
        let worker = WorkerLink(stage.other)
        for size in [100, 100 << 10, 200 << 10] {
            try worker.sendAndWait(try WorkerPacket(bytes(size)))
            #expect(try await stage.next() == .message(bytes(size), isLight: size == 100))
        }
        stage.link.close()
    }

    @Test("a packet is longer than any that listd sends → the link ends with an error")
    func tooLong() async throws {
        let stage = try Stage()
        #expect(stage.send(encoded([1])) && stage.send(bytes(WorkerPacket.inlineBytes + 1)) && stage.send(encoded([2])))
        #expect(try await stage.next() == .message([1]))
        guard case .end(let reason?) = try await stage.next() else {
            Issue.record("the packet was accepted")
            return
        }
        #expect(reason.contains("invalid packet"))
        #expect(!stage.link.isOpen)
    }

    @Test(
        "a packet has descriptors that nobody asked for → the link ends with an error, and they are closed",
        arguments: [([1, 2], 1), ([1], 2), ([1], 3), ([], 1)] as [([UInt8], Int)])
    func unasked(bytes: [UInt8], count: Int) async throws {
        let stage = try Stage()
        var ends: (read: Int32, write: Int32) = (-1, -1)
        try #require(unsafe listd_pipe(&ends.read, &ends.write) == 0)
        let reading = FileDescriptor(adopting: ends.read)
        #expect(stage.send(bytes, Array(repeating: ends.write, count: count)))
        close(ends.write)
        guard case .end(let reason) = try await stage.next() else {
            Issue.record("the packet was accepted")
            return
        }
        // A packet without bytes is the end.
        #expect((reason == nil) == bytes.isEmpty)
        // End of file: no process has the writing end any more.
        var byte: UInt8 = 0
        #expect(unsafe read(reading.rawValue, &byte, 1) == 0)
    }

    @Test("a packet is no message, large or small → the link ends with an error", arguments: [2, 30 << 10])
    func invalid(size: Int) async throws {
        let stage = try Stage()
        #expect(stage.send(encoded([1])) && stage.send([UInt8](repeating: 0, count: size)) && stage.send(encoded([2])))
        #expect(try await stage.next() == .message([1]))
        guard case .end(let reason?) = try await stage.next() else {
            Issue.record("the packet was accepted")
            return
        }
        #expect(reason.contains("invalid packet"))
    }

    @Test("the other end closes with packets that nobody has read → its own packets are read, then the link ends")
    func closed() async throws {
        var stage: Stage? = try Stage()
        let (link, heard) = (try #require(stage).link, try #require(stage).heard)
        link.setPaused(true)
        for number in 0..<40 as Range<UInt8> { #expect(stage?.send(encoded([number])) == true) }
        try link.send(.bytes([1]))
        stage = nil
        link.setPaused(false)
        for number in 0..<40 as Range<UInt8> {
            #expect(try await heard.next(timeout: .seconds(60)) == .message([number]))
        }
        #expect(try await heard.next(timeout: .seconds(60)) == .end(nil))
        try link.send(.bytes([1]))
    }

    @Test("the other process has ended, but a third one has its socket → what was sent is read, then the link ends")
    func finished() async throws {
        let stage = try Stage()
        for number in 0..<40 as Range<UInt8> { #expect(stage.send(encoded([number]))) }
        stage.link.finish()
        for number in 0..<40 as Range<UInt8> { #expect(try await stage.next() == .message([number])) }
        #expect(try await stage.next() == .end(nil))
    }

    @Test("reading is paused while the other process ends → the rest is read after the pause")
    func finishedInPause() async throws {
        let stage = try Stage()
        stage.link.setPaused(true)
        #expect(stage.send(encoded([1])))
        stage.link.finish()
        await withCheckedContinuation { done in EventLoop.shared.addTimer(after: .milliseconds(20)) { done.resume() } }
        #expect(stage.heard.recorded.isEmpty)
        stage.link.setPaused(false)
        #expect(try await stage.next() == .message([1]))
        #expect(try await stage.next() == .end(nil))
    }

    @Test("the other end reads late → nobody waits for it, and it gets all packets in order")
    func full() async throws {
        let (link, other) = try WorkerLink.makePair()
        let (ended, heard) = (EventLog<String?>(), EventLog<[UInt8]>())
        try link.begin { (_: [UInt8], _: Bool) in
        } onEnd: {
            ended.record($0)
        }
        let (count, size) = (40, 64 << 10)
        // Far more than the socket takes.
        for number in 0..<count { try link.send(try WorkerPacket(bytes(size, UInt8(number)))) }
        let reader = WorkerLink(other)
        try reader.begin { (bytes: [UInt8], _: Bool) in
            heard.record(bytes)
        } onEnd: { _ in
        }
        for number in 0..<count { #expect(try await heard.next(timeout: .seconds(60)) == bytes(size, UInt8(number))) }
        link.close()
        reader.close()
        #expect(ended.recorded.isEmpty)
    }

    @Test("the other end never reads → a bounded number of packets is queued, then sending them is an error")
    func unread() throws {
        let stage = try Stage()
        #expect(throws: ListError.self) {
            for _ in 0..<2 * WorkerLink.mostUnsent { try stage.link.send(.bytes([1, 7])) }
        }
        stage.link.close()
        try stage.link.send(.bytes([1, 7]))
    }

    @Test("the other end never reads and closes → what waits is dropped, and the link ends")
    func neverRead() async throws {
        let stage = try Stage()
        for _ in 0..<40 { try stage.link.send(.bytes(bytes(64 << 10))) }
        stage.link.setPaused(true)
        #expect(shutdown(stage.other.rawValue, Int32(SHUT_RDWR)) == 0)
        await withCheckedContinuation { done in EventLoop.shared.addTimer(after: .milliseconds(20)) { done.resume() } }
        stage.link.setPaused(false)
        #expect(try await stage.next() == .end(nil))
    }

    @Test("the daemon does not read → a thread of the worker waits, and goes on when the daemon reads")
    func backPressure() async throws {
        let stage = try Stage()
        stage.link.setPaused(true)
        let worker = WorkerLink(stage.other)
        let sent = EventLog<Int>()
        let size = 64 << 10
        let packet = try WorkerPacket(bytes(size))
        Thread.detachNewThread {
            for number in 0..<40 {
                try? worker.sendAndWait(packet)
                sent.record(number)
            }
        }
        #expect(try await sent.next(timeout: .seconds(60)) == 0)
        await withCheckedContinuation { done in EventLoop.shared.addTimer(after: .milliseconds(50)) { done.resume() } }
        #expect(sent.recorded.count < 20)
        stage.link.setPaused(false)
        for _ in 0..<40 { #expect(try await stage.next() == .message(bytes(size), isLight: false)) }
        stage.link.close()
    }

    @Test("a worker starts → its first packet is the memory for breadcrumbs; nobody has started it → there is none")
    func first() throws {
        let (link, other) = try WorkerLink.makePair()
        let map = try BreadcrumbMap()
        map.slot(at: 3)?.setStamp(5)
        try link.send(.file(map.file))
        guard case .file(let file)? = WorkerLink(other).waitForFirst() else {
            Issue.record("the memory did not arrive")
            return
        }
        #expect(try BreadcrumbMap(file: file).slot(at: 3)?.stamp == 5)
        #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        #expect(WorkerLink(FileDescriptor(adopting: null)).waitForFirst() == nil)
    }
}
