// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListKit
package import ListSupport
internal import PluginAPI

/// A worker, from its command line to its exit code: `listd --worker ADDRESS`.
package enum WorkerProgram {
    /// The descriptor of the memory that the daemon shares.
    private static let crumbDescriptor: Int32 = 3

    /// Dials the daemon and follows its orders until it hangs up.
    @DBusActor
    package static func run(address: String) async -> ExitCode {
        guard let crumbs = try? BreadcrumbMap(file: FileDescriptor(adopting: crumbDescriptor)) else {
            return .usage  // started by somebody else
        }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let runtime = WorkerRuntime(crumbs: crumbs) { report in ReportSender.shared.send(report) }
        let link = WorkerLink { packet in
            runtime.handle(packet) { _ in end.finish() }
        }
        do throws(DBusError) {
            let connection = try await Connection.openDirect(.address(address))
            connection.objects = link.tree
            link.use(connection)
            connection.onDisconnect { end.finish() }
            ReportSender.shared.begin(link, connection, runtime)
        } catch {
            return .noBus
        }
        for await _ in ends {}
        // Threads of the plugin may be anywhere: nothing of it is taken down in order.
        _exit(ExitCode.done.rawValue)
    }
}

/// What a worker says, in the order in which its threads say it.
final class ReportSender: Sendable {
    /// While more than this waits for the daemon, the lists are held, in bytes.
    private static let heldAbove = 4 << 20

    /// The voice of this process.
    static let shared = ReportSender()

    @DBusActor private var link: WorkerLink?
    @DBusActor private var connection: Connection?
    @DBusActor private var runtime: WorkerRuntime?
    @DBusActor private var isCongested = false

    private init() {}

    @DBusActor
    func begin(_ link: WorkerLink, _ connection: Connection, _ runtime: WorkerRuntime) {
        self.link = link
        self.connection = connection
        self.runtime = runtime
    }

    /// Encodes a report on the thread that has something to say, and sends it.
    ///
    /// A report that is too large ends the worker: its list would wait for it for ever.
    func send(_ report: WorkerReport) {
        do throws(ListError) {
            let packet = try WorkerPacket(report)
            EventLoop.shared.post { self.send(packet) }
        } catch {
            EventLoop.shared.post {
                // The last words of the process, which the daemon writes into the log in any case.
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
        runtime?.hold(true)
        connection.onDrain(below: Self.heldAbove / 2) { [self] in
            isCongested = false
            runtime?.hold(false)
        }
    }
}
