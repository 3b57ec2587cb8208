// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
package import ListSupport
internal import PluginAPI

/// The main program of a worker, `listd --worker ADDRESS`.
package enum WorkerProgram {
    /// The descriptor of the breadcrumbs' memory, which the daemon passes on start.
    private static let crumbDescriptor: Int32 = 3

    /// Connects to the daemon, and executes its orders until it disconnects.
    @DBusActor
    package static func run(address: String) async -> ExitCode {
        guard let crumbs = try? BreadcrumbMap(file: FileDescriptor(adopting: crumbDescriptor)) else {
            return .usage  // not started by the daemon
        }
        listd_trace_crashes()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let runtime = WorkerRuntime(crumbs: crumbs) { report in ReportSender.shared.send(report) }
        let link = WorkerLink { packet in
            runtime.handle(packet) { _ in end.finish() }
        }
        do throws(DBusError) {
            let connection = try await Connection.openDirect(.address(address))
            connection.objects = link.tree
            link.setConnection(connection)
            connection.onDisconnect { end.finish() }
            ReportSender.shared.begin(on: link, connection: connection, runtime: runtime)
        } catch {
            return .noBus
        }
        for await _ in ends {}
        // Threads of the plugin may still be running, so no destructors or atexit(3) handlers are called.
        _exit(ExitCode.done.rawValue)
    }
}

/// Sends the reports of a worker to the daemon, in the order in which the worker's threads make them.
final class ReportSender: Sendable {
    /// The maximum size of the unsent reports, in bytes; while they are larger, the lists are held.
    private static let heldAbove = 4 << 20

    /// The sender of this process.
    static let shared = ReportSender()

    @DBusActor private var link: WorkerLink?
    @DBusActor private var connection: Connection?
    @DBusActor private var runtime: WorkerRuntime?
    @DBusActor private var isCongested = false

    private init() {}

    /// Sends the reports over a link from now on.
    @DBusActor
    func begin(on link: WorkerLink, connection: Connection, runtime: WorkerRuntime) {
        self.link = link
        self.connection = connection
        self.runtime = runtime
    }

    /// Encodes a report on the caller's thread, and sends it.
    ///
    /// A report that is too large ends the process, as its list would wait for it forever.
    func send(_ report: WorkerReport) {
        do throws(ListError) {
            let packet = try WorkerPacket(report)
            EventLoop.shared.post { self.send(packet) }
        } catch {
            EventLoop.shared.post {
                // The daemon logs the last lines of a worker's output.
                StandardErrorSink(prefixed: false).write(
                    LogEntry(level: .error, message: error.message, fields: [], event: nil))
                _exit(ExitCode.store.rawValue)
            }
        }
    }

    @DBusActor
    private func send(_ packet: WorkerPacket) {
        guard let link, (try? link.send(packet)) != nil, let connection = link.connection else { return }
        guard !isCongested, connection.outgoingSize > Self.heldAbove else { return }
        isCongested = true
        runtime?.setCongested(true)
        connection.onDrain(below: Self.heldAbove / 2) { [self] in
            isCongested = false
            runtime?.setCongested(false)
        }
    }
}
