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
    /// Sends a report to the daemon from any thread, which waits while the daemon does not read.
    typealias Report = @Sendable (WorkerReport) -> Void

    private let queue = HostExecutor(label: "org.listd.worker")
    private let crumbs: BreadcrumbMap
    private let report: Report
    private var plugin: (manifest: PluginManifest, host: PluginHost)?
    private(set) var lists: [PresenterNumber: WorkerList] = [:]
    private var sources: [PresenterNumber: WorkerRuntimeSource] = [:]

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

/// The main program of a worker, `listd --worker fd:NUMBER`.
package enum WorkerProgram {
    /// Executes the daemon's orders until the daemon closes its end of the link.
    ///
    /// - Parameter descriptor: the worker's end of the link, whose first packet is the memory for breadcrumbs.
    @DBusActor
    package static func run(onSocket descriptor: Int32) async -> ExitCode {
        let link = WorkerLink(FileDescriptor(adopting: descriptor))
        // Programs that the plugin starts do not inherit the socket.
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, case .file(let memory)? = link.waitForFirst(),
            let crumbs = try? BreadcrumbMap(file: memory)
        else { return .usage }  // not started by the daemon
        listd_trace_crashes()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let runtime = WorkerRuntime(crumbs: crumbs) { send($0, on: link) }
        do throws(ListError) {
            try link.begin { packet in
                runtime.handle(packet) { _ in end.finish() }
            } onEnd: { _ in
                end.finish()
            }
        } catch {
            return .noBus
        }
        for await _ in ends {}
        // Threads of the plugin may still be running, so no destructors or atexit(3) handlers are called.
        _exit(ExitCode.done.rawValue)
    }

    /// Encodes a report on the caller's thread, and sends it.
    ///
    /// A report that cannot be sent ends the process, as its list would wait for it forever.
    private nonisolated static func send(_ report: WorkerReport, on link: WorkerLink) {
        do throws(ListError) {
            try link.sendAndWait(try WorkerPacket(report))
        } catch {
            // The daemon logs the last lines of a worker's output.
            StandardErrorSink(prefixed: false).write(
                LogEntry(level: .error, message: error.description, fields: [], event: nil))
            _exit(ExitCode.store.rawValue)
        }
    }
}
