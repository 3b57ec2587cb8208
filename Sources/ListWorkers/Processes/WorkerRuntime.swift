// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
package import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The runtime of a worker: it loads the plugin, presents lists with its section controllers, and runs its data
/// sources.
///
/// Orders are executed one after the other on the actor's executor. Each list and each data source has an executor of
/// its own.
actor WorkerRuntime {
    /// Sends a report to the daemon; may be called on any thread.
    typealias Report = @Sendable (WorkerReport) -> Void

    private let queue = HostExecutor(label: "org.listd.worker")
    private let crumbs: BreadcrumbMap
    private let report: Report
    private var plugin: (manifest: PluginManifest, host: PluginHost)?
    private(set) var lists: [PresenterNumber: WorkerList] = [:]
    private var sources: [PresenterNumber: WorkerRuntimeSource] = [:]
    private var isCongested = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

    init(crumbs: BreadcrumbMap, report: @escaping Report) {
        self.crumbs = crumbs
        self.report = report
    }

    /// Executes an order after all earlier ones.
    ///
    /// An order that is only forwarded is handled by the event loop itself, since a change of threads would take
    /// longer.
    ///
    /// - Parameter fail: called for bytes that are not an encoded order. The caller then ends the process, as the two
    ///   ends disagree about the format.
    @DBusActor
    func handle(_ packet: WorkerPacket, orElse fail: @escaping @Sendable (WireError) -> Void) {
        guard packet.isLight else {
            return queue.post {
                do throws(WireError) {
                    let order: WorkerOrder = try packet.value()
                    self.assumeIsolated { $0.execute(order) }
                } catch {
                    fail(error)
                }
            }
        }
        do throws(WireError) {
            let order: WorkerOrder = try packet.value()
            // The event loop answers itself, since loading a plugin or making a list may keep the executor busy.
            if case .ping = order { return report(.alive) }
            let isFirst = queue.enqueueOnLoop(isLight: order.isForwarded) { self.assumeIsolated { $0.execute(order) } }
            if isFirst { queue.drainInline() }
        } catch {
            fail(error)
        }
    }

    /// Holds all lists while the daemon does not read their reports, or lets the lists continue.
    nonisolated func setCongested(_ flag: Bool) {
        queue.post {
            self.assumeIsolated { runtime in
                runtime.isCongested = flag
                for list in runtime.lists.values { list.post { $0.setCongested(flag) } }
            }
        }
    }

    private func execute(_ order: WorkerOrder) {
        switch order {
        case .load(let assignment): load(assignment)
        case .host(let number, let crumbSlot): hostList(number: number, crumbSlot: crumbSlot)
        case .present(let number, let order, let missing, let user):
            lists[number]?.post { $0.perform(order, missing: missing, by: user) }
        case .close(let number): lists.removeValue(forKey: number)?.post { $0.end() }
        case .makeSource(let number, let crumbSlot, let name, let argument):
            makeSource(number: number, crumbSlot: crumbSlot, name: name, argument: argument)
        case .startSource(let number, let cursor): sources[number]?.start(at: cursor)
        case .writeSource(let number, let write): self.write(write, toSource: number)
        case .eventTaken(let number): sources[number]?.allowNextEvent()
        case .stopSource(let number): stopSource(number)
        case .ping: break  // answered by the event loop
        }
    }
}

// MARK: - The plugin

extension WorkerRuntime {
    private func load(_ assignment: PluginAssignment) {
        let crumbSlot = crumbs.slot(at: 0)
        crumbSlot?.write(Breadcrumb(kind: .manifest, controller: "", object: ""))
        crumbSlot?.setStamp(1)
        do throws(ListError) {
            try Confinement.limitMemory(to: assignment.memoryMax)
            if !assignment.hasNetwork { try Confinement.restrictToUnixSockets() }
            let library = try PluginLibrary(
                try PluginFile(path: assignment.path, in: assignment.directories))
            let report = report
            let limiter = Log(level: .debug, sink: ReportSink(report: report))
            let host = PluginHost(
                settings: PluginSettings(assignment.settings),
                logger: PluginLogger { level, message in
                    limiter.write(
                        Log.Level(rawValue: level.rawValue) ?? .info, { PluginLogger.shortened(message) },
                        limitedBy: "the activity of the plugin")
                })
            let manifest = try library.manifest(for: host)
            plugin = (manifest, host)
            report(
                .loaded(
                    PluginFacts(
                        version: manifest.version, apiVersion: library.record.apiVersion,
                        sectionControllers: manifest.sectionControllers.map(\.name),
                        dataSources: manifest.dataSources.map(\.name), hints: manifest.hints)))
        } catch {
            report(.refused(error))
        }
        crumbSlot?.setStamp(0)
    }

    /// Looks up section controllers by their names in this process. When the plugin has no controller of a name any
    /// more, the table stays as it is, with `listd/single`.
    private static func resolveControllers(
        of table: SectionControllerTable, manifest: PluginManifest?, tracer: CallTracer
    ) -> SectionControllerTable {
        let resolved = try? SectionControllerTable(table.option) { (reference) throws(ListError) in
            guard reference.plugin == manifest?.name,
                let entry = manifest?.sectionControllers.first(where: { $0.name == reference.name })
            else { throw ListError(.noSuchSectionController, "\(reference.plugin.quoted)/\(reference.name)") }
            return tracer.traced(entry, of: reference.plugin)
        }
        return resolved ?? table
    }
}

// MARK: - Lists

extension WorkerRuntime {
    private func hostList(number: PresenterNumber, crumbSlot: Int?) {
        let tracer = CallTracer(crumbSlot.flatMap { crumbs.slot(at: $0) })
        let (report, manifest) = (report, plugin?.manifest)
        let list = WorkerList(
            executor: HostExecutor(label: "org.listd.list"), tracer: tracer,
            resolve: { Self.resolveControllers(of: $0, manifest: manifest, tracer: tracer) }
        ) { output in
            report(.presented(number, output))
        }
        lists[number] = list
        if isCongested { list.post { $0.setCongested(true) } }
    }
}

// MARK: - Data sources

extension WorkerRuntime {
    private func makeSource(number: PresenterNumber, crumbSlot: Int?, name: String, argument: String) {
        guard let plugin, let entry = plugin.manifest.dataSources.first(where: { $0.name == name }) else {
            let error = ListError(.invalidArguments, "source: the plugin has no data source \(name.quoted)")
            return report(.sourceMade(number, .failure(error)))
        }
        let source = WorkerRuntimeSource(
            entry, argument: argument, host: plugin.host, crumbSlot: crumbSlot.flatMap { crumbs.slot(at: $0) }
        ) { [report] event in
            report(.sourceEvent(number, event))
        }
        sources[number] = source
        source.make { [report] outcome in report(.sourceMade(number, outcome)) }
    }

    private func write(_ write: DataSourceWrite, toSource number: PresenterNumber) {
        if let source = sources[number] { return source.write(write) }
        report(.sourceEvent(number, .written(write.id, ListError(.sourceUnavailable, "the data source has ended"))))
    }

    private func stopSource(_ number: PresenterNumber) {
        guard let source = sources.removeValue(forKey: number) else { return report(.sourceStopped(number)) }
        source.stop { [report] in report(.sourceStopped(number)) }
    }
}

/// A log sink that sends the plugin's messages to the daemon, which writes them.
private struct ReportSink: LogSink {
    let report: WorkerRuntime.Report

    func write(_ entry: LogEntry) {
        report(.log(PluginLogger.Level(rawValue: entry.level.rawValue) ?? .info, entry.message))
    }
}

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
