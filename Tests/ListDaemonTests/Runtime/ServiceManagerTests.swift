// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ListDaemon
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// A datagram socket at a path, like those of systemd and journald.
struct DatagramSocket {
    let descriptor: Int32

    init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8) + [0]
        guard descriptor >= 0, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        unsafe unlink(path)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { return nil }
    }

    func receive() -> String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Moves this process into a mount namespace of its own. Glibc's module does not show unshare(2) to Swift.
func leaveMountNamespace() -> Bool {
    guard let symbol = unsafe dlsym(nil, "unshare") else { return false }
    let newMountNamespace: Int32 = 0x20000
    return unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)(newMountNamespace) == 0
}

@Suite("Messages to systemd and journald")
struct ServiceManagerTests {
    @Test("NOTIFY_SOCKET is set → messages arrive in the format of sd_notify(3)")
    func notifications() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/listd-notify-\(getpid())"
            guard let socket = DatagramSocket(path: path) else { exit(2) }
            defer { unsafe unlink(path) }
            unsafe setenv("NOTIFY_SOCKET", path, 1)
            let notify = Notify()
            let exchanges: [(Bool, String)] = [
                (notify.send(.ready, .status("3 lists\nREADY=1")), "READY=1\nSTATUS=3 lists READY=1"),
                (notify.send(.stopping), "STOPPING=1"),
                (notify.send(.watchdog), "WATCHDOG=1"),
            ]
            for (sent, expected) in exchanges where !sent || socket.receive() != expected { exit(3) }
            guard notify.send(.reloading) else { exit(4) }
            let lines = socket.receive().split(separator: "\n")
            guard lines.count == 2, lines[0] == "RELOADING=1", lines[1].hasPrefix("MONOTONIC_USEC="),
                let time = UInt64(lines[1].dropFirst("MONOTONIC_USEC=".count)), time > 0
            else { exit(5) }
        }
    }

    @Test("no service manager → no message is sent, and the watchdog is disabled")
    func withoutManager() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("NOTIFY_SOCKET")
            unsafe unsetenv("WATCHDOG_USEC")
            guard !Notify().send(.ready), Notify().watchdogInterval == nil else { exit(2) }
        }
    }

    @Test("WATCHDOG_USEC is set → the watchdog has that interval")
    func watchdog() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("WATCHDOG_USEC", "2500000", 1)
            unsafe setenv("WATCHDOG_PID", "\(getpid())", 1)
            guard Notify().watchdogInterval == .milliseconds(2500) else { exit(2) }
            unsafe setenv("WATCHDOG_PID", "1", 1)
            guard Notify().watchdogInterval == nil else { exit(3) }
        }
    }

    @Test(
        "the journal's socket exists → entries arrive with their fields; the socket is missing → standard error",
        .enabled(if: geteuid() == 0))
    func journal() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            // In a mount namespace of its own, the test can put a socket at the journal's fixed path.
            guard leaveMountNamespace(), unsafe mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0,
                unsafe mount("tmpfs", "/run", "tmpfs", 0, nil) == 0,
                unsafe mkdir("/run/systemd", 0o755) == 0, unsafe mkdir("/run/systemd/journal", 0o755) == 0
            else { exit(2) }
            var status = stat()
            guard unsafe fstat(STDERR_FILENO, &status) == 0 else { exit(3) }
            let environment = ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
            guard JournalSink.suitable(environment: environment) is StandardErrorSink,
                let socket = DatagramSocket(path: "/run/systemd/journal/socket"),
                JournalSink.suitable(environment: environment) is JournalSink,
                JournalSink.suitable(environment: [:]) is StandardErrorSink
            else { exit(4) }
            let entry = LogEntry(
                level: .notice, message: "hello", fields: [.adapter("mail"), .revision(7)], event: .ready)
            JournalSink().write(entry)
            let lines = socket.receive().split(separator: "\n").map(String.init)
            let expected = [
                "MESSAGE=hello", "PRIORITY=5", "MESSAGE_ID=\(Log.Event.ready.rawValue)", "LISTD_ADAPTER=mail",
                "LISTD_REVISION=7",
            ]
            guard expected.allSatisfy(lines.contains), lines.contains(where: { $0.hasPrefix("SYSLOG_IDENTIFIER=") }),
                !lines.contains(where: { $0.hasPrefix("CODE_") })
            else { exit(5) }
            close(socket.descriptor)
            JournalSink().write(entry)
        }
        let written = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(written.contains("<5>hello (LISTD_ADAPTER=mail LISTD_REVISION=7)\n"))
    }

    @Test("SIGHUP arrives → listd is asked to reload; SIGINT or SIGTERM → it is asked to stop; SIGPIPE → it is ignored")
    func signals() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let requests = AsyncStream<SignalRequest>.makeStream()
            let signals = Signals { requests.continuation.yield($0) }
            defer { signals.cancel() }
            kill(getpid(), SIGPIPE)
            var iterator = requests.stream.makeAsyncIterator()
            for (number, request) in [(SIGHUP, SignalRequest.reload), (SIGINT, .terminate), (SIGTERM, .terminate)] {
                kill(getpid(), number)
                guard await iterator.next() == request else { exit(2) }
            }
            exit(9)
        }
    }
}
