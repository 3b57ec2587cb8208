// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import PluginAPI

/// One process of a plugin's worker, from its start to its end: its link, its output, and the detection of hangs.
///
/// It belongs to the event loop. A worker that has reported too much is not read for a moment, so that the event loop has
/// time for others.
@DBusActor
final class WorkerProcess {
    /// The time for which a process may run without its socket.
    private static let lingering = Duration.milliseconds(200)

    /// The process id; 0 = the process is being started, or could not be started.
    private(set) var identifier: Int32 = 0
    /// The name of the process in messages.
    var name: String { identifier > 0 ? "the worker \(identifier)" : "its worker" }
    /// The plugin's file, with its state when the process was made.
    let file: PluginFile
    let fileState: PluginFileState?
    /// The plugin's section of `listd.conf` with which the process is started.
    let configuration: PluginConfiguration
    private weak var owner: PluginWorker?
    private let plugin: String
    private let log: Log
    private let logger: PluginLogger
    /// The lists whose reports are dispatched, by their numbers.
    private var lists: [PresenterNumber: any PresentedList] = [:]
    private var link: WorkerLink?
    private var brake = FloodBrake.perWorker
    /// The end of the time in which the worker is not read because it has reported too much.
    private var restEnd: LoopTimer?
    private var output: WorkerOutput?
    private var exitWatch: (DescriptorWatch, FileDescriptor)?
    private var hangWatch: LoopTimer?
    private var pulse: WorkerPulse
    private var crumbs: CrumbTable
    /// The reason why listd kills the process; nil = it ends by itself, or is running.
    private var sentence: String?
    /// Whether that reason is a callback that did not return.
    private var isHang = false
    /// The death; nil = the process has not been seen to end.
    private var death: Death?
    /// Whether the owner was told of the death.
    private var isReported = false

    init(
        of owner: PluginWorker, file: PluginFile, configuration: PluginConfiguration, log: Log
    ) throws(ListError) {
        (self.owner, self.file, self.configuration, self.log) = (owner, file, configuration, log)
        plugin = owner.name
        fileState = PluginFileState(of: file.path)
        logger = PluginLogger(log, plugin: plugin)
        pulse = WorkerPulse(callbackTimeout: configuration.callbackTimeout)
        crumbs = try CrumbTable(callbackTimeout: configuration.callbackTimeout)
    }

    /// Throws `pluginFailed` if a path of `WritablePaths` is missing, which no restart changes.
    static func check(_ writablePaths: [WritablePath]) throws(ListError) {
        let missing = writablePaths.first { path in
            !path.isOptional && (unsafe access(path.path, F_OK)) != 0
        }
        guard let missing else { return }
        throw ListError(
            .pluginFailed,
            "\(missing.path.shortenedPath) of WritablePaths does not exist for listd: create it, name it in the unit's ReadWritePaths, "
                + "or write “-” before it")
    }

    /// Starts the process on another thread. A process that cannot be started counts as ended.
    func start(_ program: String) throws(ListError) {
        let (log, plugin, outputKey) = (log, plugin, "the output of plugin \(plugin)")
        let (output, writingEnd) = try WorkerOutput.open { line, isBacktrace in
            log.write(
                .info, { "\(plugin): \(WorkerOutput.text(of: line))" }, [.plugin(plugin)],
                limitedBy: isBacktrace ? nil : outputKey)
        }
        let workersEnd: FileDescriptor
        do throws(ListError) {
            let (link, other) = try WorkerLink.makePair()
            try link.send(.file(crumbs.memory.file))
            (self.link, workersEnd) = (link, other)
        } catch {
            output.close()
            throw error
        }
        self.output = output
        watchForHangs()
        WorkerSpawner.shared.start(
            program, as: "listd:\(plugin)", linkedBy: workersEnd, hasNetwork: configuration.hasNetwork,
            writablePaths: configuration.writablePaths.map(\.path), writingTo: writingEnd
        ) { self.handleStart($0) }
    }

    /// Sends an encoded order, or queues it while the worker does not read.
    func send(_ packet: WorkerPacket) {
        do throws(ListError) { try link?.send(packet) } catch { kill(error.description) }
    }

    /// Encodes and sends an order; kills the process when the order is too large.
    func send(_ order: Order) {
        do throws(ListError) { send(try WorkerPacket(order)) } catch { kill(error.message) }
    }

    /// Kills the process and its children. Its death has the reason.
    func kill(_ reason: String) {
        guard sentence == nil, death == nil else { return }
        sentence = reason
        killGroup()
    }

    private func killGroup() {
        // A process that is still being started is killed in `handleStart(_:)`.
        guard identifier > 0 else { return }
        // The worker leads a process group that its children cannot leave, so this kills them too.
        if Glibc.kill(-identifier, SIGKILL) != 0 { Glibc.kill(identifier, SIGKILL) }
    }

    // MARK: Lists

    /// Dispatches the reports of a presenter to a list from now on.
    func dispatchReports(of number: PresenterNumber, to list: any PresentedList) { lists[number] = list }

    /// Discards the reports of a presenter from now on.
    func discardReports(of number: PresenterNumber) { lists[number] = nil }

    /// Reserves a free slot for breadcrumbs; nil when all slots are in use.
    func reserveCrumbSlot() -> Int? { crumbs.reserve() }

    /// Frees a slot for breadcrumbs.
    func releaseCrumbSlot(_ slot: Int) { crumbs.release(slot) }
}

// MARK: - The start

extension WorkerProcess {
    private func handleStart(_ outcome: Result<Int32, ListError>) {
        do throws(ListError) {
            identifier = try outcome.get()
            try watchExit()
        } catch {
            killGroup()
            hangWatch?.cancel()
            death = Death(reason: error.description)
            return reportEnd()
        }
        guard sentence == nil else { return killGroup() }
        do throws(ListError) {
            try link?.begin {
                self.receive($0, isLight: $1)
            } onEnd: {
                self.handleDisconnect($0)
            }
        } catch {
            kill(error.description)
        }
    }
}

// MARK: - Reports

extension WorkerProcess {
    private func receive(_ report: Report, isLight: Bool) {
        pulse.recordAnswer()
        handle(report, isLight: isLight)
        guard death == nil, let pause = brake.admit(at: .now) else { return }
        link?.setPaused(true)
        restEnd = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.endRest() }
    }

    private func endRest() {
        guard let restEnd else { return }
        restEnd.cancel()
        self.restEnd = nil
        link?.setPaused(false)
    }

    private func handle(_ report: Report, isLight: Bool) {
        switch report {
        case .presented(let number, let reports, let times):
            guard let list = lists[number] else { return }
            list.times?.countMessage(fromWorkerOf: plugin)
            if let times = times[plugin] { list.times?.add(times, of: plugin) }
            list.report(reports, from: number, isLight: isLight)
        case .loaded(let facts): owner?.handleLoaded(facts, in: self)
        case .refused(let error): owner?.handleRefusal(error, in: self)
        case .sourceMade, .sourceEvent, .sourceStopped: owner?.sources.handle(report)
        case .log(let level, let text): logger.log(level, text)
        case .alive: break  // an answer, like every report
        }
    }
}

// MARK: - The end

extension WorkerProcess {
    private func watchExit() throws(ListError) {
        let number = listd_process_descriptor(identifier)
        guard number >= 0 else {
            throw ListError(
                .pluginFailed, "listd cannot watch for the exit of the worker's process",
                cause: SystemError.text(errno))
        }
        let descriptor = FileDescriptor(adopting: number)
        do throws(DBusError) {
            // The closure retains this object until the process has ended.
            let watch = try EventLoop.shared.watch(number, for: .readable) { _ in self.handleExit() }
            exitWatch = (watch, descriptor)
        } catch {
            throw ListError(
                .pluginFailed, "listd cannot watch for the exit of the worker's process", cause: error.message)
        }
    }

    private func handleExit() {
        // Kills the children that are left. The kernel does not reuse the group's number before `listd_reap` below.
        killGroup()
        var value: Int32 = 0
        var wasSignalled: Int32 = 0
        var mostMemory: Int64 = 0
        guard unsafe listd_reap(identifier, &value, &wasSignalled, &mostMemory) != 0 else { return }
        exitWatch?.0.cancel()
        exitWatch = nil
        hangWatch?.cancel()
        let way = wasSignalled != 0 ? "signal \(value) (\(Self.name(ofSignal: value)))" : "exit code \(value)"
        let output = output?.finish() ?? ""
        let lastWords = output.isEmpty ? "" : "; its last output: “\(output)”"
        let calls = crumbs.callsUnderWay
        death = Death(
            reason: "\(sentence ?? "the process ended with \(way)")\(memoryNote(mostMemory, output))"
                + "\(Self.location(in: calls))\(lastWords)",
            callbacks: calls, isHang: isHang, isSentence: sentence != nil && !isHang)
        // Reports that it sent before are still in the socket.
        guard let link, link.isOpen else { return reportEnd() }
        endRest()
        link.finish()
    }

    private func handleDisconnect(_ reason: String?) {
        if let reason { kill(reason) }
        guard death == nil else { return reportEnd() }
        // Mostly the process has ended, and `handleExit()` follows in a moment. If not, it is useless without its socket.
        EventLoop.shared.addTimer(after: Self.lingering) { [weak self] in self?.kill("the worker closed its socket") }
    }

    /// Tells the owner of the death once, after all reports are handled.
    private func reportEnd() {
        guard !isReported, let death else { return }
        isReported = true
        link?.close()
        output?.close()
        output = nil
        lists = [:]
        owner?.handleDeath(death, of: self)
    }

    /// The limit of memory, if the process ended because of it, as part of a sentence; empty if it did not.
    ///
    /// A process that reaches the limit gets no more memory and ends by itself. It had most of the memory then, or could
    /// not get a large block at once, which Swift's runtime says.
    private func memoryNote(_ most: Int64, _ output: String) -> String {
        let memoryMax = configuration.memoryMax
        guard sentence == nil, memoryMax > 0 else { return "" }
        let isLarge = output.contains("failed to allocate") || output.contains("Could not allocate memory")
        guard isLarge || most >= Int64(memoryMax + Confinement.allowance / 2) else { return "" }
        return ", at its limit of memory of \(memoryMax >> 20) MiB (MemoryMax)"
    }

    /// The callbacks in which the process died, as the end of a sentence; empty when no callback was running.
    private static func location(in calls: [Int: Breadcrumb]) -> String {
        guard !calls.isEmpty else { return "" }
        let shown = calls.sorted { $0.key < $1.key }.prefix(3).map(\.value.description).joined(separator: "; or ")
        return " in " + shown + (calls.count > 3 ? "; or \(calls.count - 3) more" : "")
    }

    private static func name(ofSignal number: Int32) -> String {
        unsafe strsignal(number).map { unsafe String(cString: $0) } ?? "unknown"
    }
}

// MARK: - Hangs

extension WorkerProcess {
    private func watchForHangs() {
        hangWatch = EventLoop.shared.addTimer(after: pulse.step, repeats: true) { [weak self] in
            self?.killIfCallHangs()
            self?.killIfSilent()
        }
    }

    /// Kills a process that does not run at all and thus leaves no breadcrumb of a hanging callback.
    private func killIfSilent() {
        guard let link, link.isOpen, sentence == nil else { return }
        switch pulse.check(at: .now, isListening: link.isReading) {
        case .none: break
        case .ask: send(.ping)
        case .giveUp: kill("the worker did not answer within \(pulse.limit)")
        }
    }

    private func killIfCallHangs() {
        guard let limit = crumbs.findHang(at: .now) else { return }
        if sentence == nil { isHang = true }
        kill("a callback did not return within \(limit) (CallbackTimeout)")
    }
}

/// The breadcrumbs of one worker, with the slots in use, and the detection of calls that do not return.
struct CrumbTable {
    private let map: BreadcrumbMap
    /// The maximum duration of a call.
    private let callbackTimeout: Duration
    /// The slots in use. Slot 0 is for loading the plugin.
    private var used: Set<Int> = [0]
    /// The call in each slot at the last check, and the time of the first check that has seen the call.
    private var seen: [Int: (stamp: UInt64, since: ContinuousClock.Instant)] = [:]
    /// The slot of a call that has exceeded the timeout; nil = none has.
    private var culprit: Int?

    /// Makes the shared memory into which the worker writes.
    init(callbackTimeout: Duration) throws(ListError) {
        self.callbackTimeout = callbackTimeout
        map = try BreadcrumbMap()
    }

    /// The shared memory, which the worker inherits.
    var memory: BreadcrumbMap { map }

    /// Reserves a free slot; nil when all slots are in use.
    mutating func reserve() -> Int? {
        guard let slot = (1..<BreadcrumbMap.count).first(where: { !used.contains($0) }) else { return nil }
        used.insert(slot)
        return slot
    }

    /// Frees a slot.
    mutating func release(_ slot: Int) {
        used.remove(slot)
        seen[slot] = nil
    }

    /// Looks for a call that has exceeded the timeout, and records its slot as the culprit.
    ///
    /// - Returns: the timeout; nil = no call has exceeded it.
    mutating func findHang(at now: ContinuousClock.Instant) -> Duration? {
        for slot in used {
            let stamp = map.slot(at: slot)?.stamp ?? 0
            guard stamp != 0 else {
                seen[slot] = nil
                continue
            }
            if let known = seen[slot], known.stamp == stamp {
                guard known.since.duration(to: now) < callbackTimeout else {
                    culprit = slot
                    return callbackTimeout
                }
            } else {
                seen[slot] = (stamp, now)
            }
        }
        return nil
    }

    /// The calls that are running in the worker, by slot; after a timeout, only the call that has exceeded it.
    var callsUnderWay: [Int: Breadcrumb] {
        let suspects = culprit.map { [$0] } ?? used
        return Dictionary(
            suspects.compactMap { slot in map.slot(at: slot)?.breadcrumb.map { (slot, $0) } }, uniquingKeysWith: { $1 })
    }
}
