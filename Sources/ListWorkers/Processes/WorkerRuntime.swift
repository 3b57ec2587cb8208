// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
package import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The runtime of a worker: it loads the plugin, presents lists with its section controllers, and runs its data
/// sources.
///
/// It belongs to the event loop, where no code of the plugin runs: the plugin is loaded on another thread, and each list and
/// each data source has an executor of its own.
@DBusActor
final class WorkerRuntime {
    private let loader = DispatchQueue(label: "org.listd.worker")
    private let crumbs: BreadcrumbMap
    /// Sends a report to the daemon from any thread, which waits while the daemon does not read.
    private let report: @Sendable (Report) -> Void
    private var plugin: Plugin?
    private(set) var lists: [PresenterNumber: WorkerList] = [:]
    private var sources: [PresenterNumber: WorkerRuntimeSource] = [:]

    private typealias Plugin = (manifest: PluginManifest, host: PluginHost)

    nonisolated init(crumbs: BreadcrumbMap, report: @escaping @Sendable (Report) -> Void) {
        self.crumbs = crumbs
        self.report = report
    }

    /// Executes an order, or passes it to its list or data source.
    func execute(_ order: Order) {
        switch order {
        case .load(let assignment): load(assignment)
        case .host(let number, let crumbSlot): hostList(number: number, crumbSlot: crumbSlot)
        case .open(let number, let setup, let missing): lists[number]?.post { $0.open(setup, missing: missing) }
        case .present(let number, let update, let missing): lists[number]?.post { $0.present(update, missing: missing) }
        case .objects(let number, let objects, let missing): lists[number]?.post { $0.add(objects, missing: missing) }
        case .perform(let number, let order, let user): lists[number]?.post { $0.perform(order, by: user) }
        case .close(let number): lists.removeValue(forKey: number)?.post { $0.end() }
        case .makeSource(let number, let crumbSlot, let name, let argument):
            makeSource(number: number, crumbSlot: crumbSlot, name: name, argument: argument)
        case .startSource(let number, let cursor): sources[number]?.start(at: cursor)
        case .writeSource(let number, let write): self.write(write, toSource: number)
        case .eventTaken(let number): sources[number]?.allowNextEvent()
        case .stopSource(let number): stopSource(number)
        case .ping: report(.alive)
        }
    }
}

// MARK: - The plugin

extension WorkerRuntime {
    private func load(_ assignment: PluginAssignment) {
        loader.async { [report, crumbSlot = crumbs.slot(at: 0)] in
            listd_trace_thread()
            crumbSlot?.write(Breadcrumb(kind: .manifest, controller: "", object: ""))
            crumbSlot?.setStamp(1)
            do throws(ListError) {
                let (plugin, facts) = try Self.load(assignment, report)
                crumbSlot?.setStamp(0)
                EventLoop.shared.post {
                    self.plugin = plugin
                    report(.loaded(facts))
                }
            } catch {
                crumbSlot?.setStamp(0)
                report(.refused(error))
            }
        }
    }

    private nonisolated static func load(
        _ assignment: PluginAssignment, _ report: @escaping @Sendable (Report) -> Void
    ) throws(ListError) -> (Plugin, PluginFacts) {
        try Confinement.limitMemory(to: assignment.memoryMax)
        if !assignment.hasNetwork { try Confinement.restrictToUnixSockets() }
        let library = try PluginLibrary(try PluginFile(path: assignment.path, in: assignment.directories))
        let limiter = Log(level: .debug, sink: ReportSink(report: report))
        let host = PluginHost(
            settings: PluginSettings(assignment.settings),
            logger: PluginLogger { level, message in
                limiter.write(
                    Log.Level(rawValue: level.rawValue) ?? .info, { PluginLogger.shortened(message) },
                    limitedBy: "the activity of the plugin")
            })
        let manifest = try library.manifest(for: host)
        let facts = PluginFacts(
            version: manifest.version, apiVersion: library.record.apiVersion,
            sectionControllers: manifest.sectionControllers.map(\.name),
            dataSources: manifest.dataSources.map(\.name), hints: manifest.hints)
        return ((manifest, host), facts)
    }

    /// Looks up section controllers by their names in this process. When the plugin has no controller of a name any
    /// more, the table stays as it is, with `listd/single`.
    private nonisolated static func resolveControllers(
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
        ) { reports, times in
            report(.presented(number, reports, times: times))
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
    let report: @Sendable (Report) -> Void

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
            try link.begin { order, _ in
                runtime.execute(order)
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
    private nonisolated static func send(_ report: Report, on link: WorkerLink) {
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
