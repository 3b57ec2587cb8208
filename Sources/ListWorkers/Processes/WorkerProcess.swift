// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport

/// One process of a plugin's worker: started, spoken to, watched, and taken away.
///
/// It belongs to the event loop. Large reports are decoded beside it (``WorkerReports``), and what comes after one waits for it;
/// a worker that says more than is handled is not read meanwhile (``ReportIntake``).
@DBusActor
final class WorkerProcess {
    /// What becomes of it, told on the loop.
    struct Events {
        /// The plugin is loaded.
        var loaded: @DBusActor (PluginFacts) -> Void
        /// The plugin cannot be loaded.
        var refused: @DBusActor (ListError) -> Void
        /// It has reported something about a data source.
        var source: @DBusActor (WorkerReport) -> Void
        /// The plugin speaks.
        var log: @Sendable (WorkerReport) -> Void
        /// The process has written a line, as its bytes (``WorkerOutput/text(of:)``); one of a backtrace, or another one.
        var printed: @Sendable (_ line: [UInt8], _ isBacktrace: Bool) -> Void
        /// The process is gone, and everything that it reported has been handled; last.
        var ended: @DBusActor (WorkerDeath) -> Void
    }

    /// How long a connection may outlive its process.
    private static let lingering = Duration.milliseconds(200)

    /// How far its end is.
    private struct End {
        /// Why it is ended, if it is not by itself.
        var verdict: String?
        /// What it died of; nil = it has not been seen to be gone.
        var outcome: WorkerDeath?
        /// Whether that was told.
        var isTold = false
    }

    /// The process id; 0 = it is being started, or could not be.
    private(set) var identifier: Int32 = 0
    /// For people.
    var name: String { identifier > 0 ? "the worker \(identifier)" : "its worker" }
    private let plugin: String
    private let events: Events
    private let reports: WorkerReports
    private lazy var connection = WorkerConnection { [weak self] packet in
        self?.receive(packet)
    } onFailure: { [weak self] error in
        self?.kill("it cannot be spoken to: \(error.message)")
    } onDeparture: { [weak self] in
        self?.departed()
    }
    private var output: WorkerOutput?
    private var exitWatch: (DescriptorWatch, FileDescriptor)?
    private var hangWatch: LoopTimer?
    private var pulse: WorkerPulse
    private var crumbs: CrumbTable
    private var intake = ReportIntake()
    private var ending = End()

    init(plugin: String, callbackTimeout: Duration, events: Events) throws(ListError) {
        self.plugin = plugin
        self.events = events
        pulse = WorkerPulse(callbackTimeout: callbackTimeout)
        crumbs = try CrumbTable(callbackTimeout: callbackTimeout)
        reports = WorkerReports(of: plugin) { report in
            switch report {
            case .loaded(let facts): EventLoop.shared.post { events.loaded(facts) }
            case .refused(let error): EventLoop.shared.post { events.refused(error) }
            case .sourceMade, .sourceEvent, .sourceStopped: EventLoop.shared.post { events.source(report) }
            case .log: EventLoop.shared.post { events.log(report) }
            case .presented, .alive: break  // a list's report, which was read; see `receive`
            }
        }
    }

    /// Has the process started, which then dials; one that cannot be started has ended.
    func start(_ program: WorkerExecutable, hasNetwork: Bool = false) throws(ListError) {
        let (output, writingEnd) = try WorkerOutput.open(events.printed)
        let address: String
        do throws(ListError) {
            address = try connection.listen()
        } catch {
            output.close()
            throw error
        }
        self.output = output
        watchForHangs()
        let (title, crumbs) = ("listd:\(plugin)", crumbs.memory)
        WorkerSpawner.shared.run {
            let outcome = Result { () throws(ListError) in
                try program.start(
                    as: title, address: address, hasNetwork: hasNetwork, writingTo: writingEnd, passing: crumbs.file)
            }
            EventLoop.shared.post { self.started(outcome) }
        }
    }

    /// Sends an order; until the worker has dialled it waits.
    func send(_ packet: WorkerPacket) { connection.send(packet) }

    /// Sends an order.
    func send(_ order: WorkerOrder) {
        do throws(ListError) { send(try WorkerPacket(order)) } catch { kill(error.message) }
    }

    /// Ends the process at once; the reason is what `ended` is told.
    func kill(_ reason: String) {
        guard ending.verdict == nil, ending.outcome == nil else { return }
        ending.verdict = reason
        killGroup()
    }

    private func killGroup() {
        // One that is being started is ended as soon as it is there.
        guard identifier > 0 else { return }
        // The worker leads a process group, which its children cannot leave: all of the group is killed with it.
        if Glibc.kill(-identifier, SIGKILL) != 0 { Glibc.kill(identifier, SIGKILL) }
    }

    // MARK: Lists

    /// Lets what is reported of a list through to its host.
    func place(_ list: any PresentedList, at slot: PresenterNumber) { reports.admit(list, at: slot) }

    /// Lets nothing of a list through any more.
    func vacate(_ slot: PresenterNumber) { reports.drop(slot) }

    /// A slot for breadcrumbs that nobody else has; nil when there are none left.
    func reserveCrumb() -> Int? { crumbs.reserve() }

    /// Makes a slot for breadcrumbs free again.
    func release(_ crumb: Int) { crumbs.release(crumb) }
}

// MARK: - The start

extension WorkerProcess {
    private func started(_ outcome: Result<Int32, ListError>) {
        do throws(ListError) {
            identifier = try outcome.get()
            try watchExit()
        } catch {
            killGroup()
            hangWatch?.cancel()
            ending.outcome = WorkerDeath(reason: error.description)
            return end()
        }
        guard ending.verdict == nil else { return killGroup() }
        if let stranger = connection.expect(identifier) { kill("process \(stranger) dialled in its place") }
    }
}

// MARK: - What comes in

extension WorkerProcess {
    private func receive(_ packet: WorkerPacket) {
        // A process that is not known yet is ignored.
        guard connection.isOpen else { return }
        pulse.heard()
        let isLight = intake.isEmpty && packet.isLight
        let count = packet.byteCount
        if intake.begin(count, at: .now) {
            EventLoop.shared.addTimer(after: ReportIntake.stretch) { [weak self] in
                self?.intake.endStretch()
                self?.readOrPause()
            }
        }
        readOrPause()
        guard isLight else {
            return reports.handleInOrder(packet) { error in EventLoop.shared.post { self.handled(count, error) } }
        }
        do throws(WireError) {
            try reports.handleNow(packet)
            handled(count, nil)
        } catch {
            handled(count, error)
        }
    }

    private func handled(_ count: Int, _ error: WireError?) {
        if let error { kill("it wrote what no worker writes (\(error.what))") }
        intake.end(count)
        readOrPause()
    }

    private func readOrPause() { connection.pause(ending.outcome == nil && intake.mustPause) }
}

// MARK: - The end

extension WorkerProcess {
    private func watchExit() throws(ListError) {
        let number = listd_process_descriptor(identifier)
        guard number >= 0 else {
            throw ListError(.pluginFailed, "the worker cannot be watched", cause: SystemError.text(errno))
        }
        let descriptor = FileDescriptor(adopting: number)
        do throws(DBusError) {
            // The closure keeps this object until the process is gone.
            let watch = try EventLoop.shared.watch(number, for: .readable) { _ in self.exited() }
            exitWatch = (watch, descriptor)
        } catch {
            throw ListError(.pluginFailed, "the worker cannot be watched", cause: error.message)
        }
    }

    private func exited() {
        // The children that it has left behind; until it is reaped, no other group can have its number.
        killGroup()
        var value: Int32 = 0
        var wasSignalled: Int32 = 0
        guard unsafe listd_reap(identifier, &value, &wasSignalled) != 0 else { return }
        exitWatch?.0.cancel()
        exitWatch = nil
        hangWatch?.cancel()
        let way = wasSignalled != 0 ? "signal \(value) (\(Self.name(ofSignal: value)))" : "exit code \(value)"
        let lastWords = output?.finish().map { "; it wrote last: “\($0)”" } ?? ""
        let calls = crumbs.callsUnderWay
        ending.outcome = WorkerDeath(
            reason: "\(ending.verdict ?? "it ended with \(way)")\(Self.place(of: calls))\(lastWords)", calls: calls)
        // What it reported before is still on its way; a child of it may hold the connection open.
        guard connection.isOpen else { return departed() }
        readOrPause()
        EventLoop.shared.addTimer(after: Self.lingering) { self.departed() }
    }

    private func departed() {
        connection.hangUp()
        guard ending.outcome != nil else {
            // The process has most likely ended, and its end is reported in a moment; if not, it is useless now.
            EventLoop.shared.addTimer(after: Self.lingering) { [weak self] in self?.kill("it hung up") }
            return
        }
        end()
    }

    private func end() {
        guard !ending.isTold, let outcome = ending.outcome else { return }
        ending.isTold = true
        connection.close()
        output?.close()
        output = nil
        reports.end { EventLoop.shared.post { self.events.ended(outcome) } }
    }

    private static func place(of calls: [Int: Breadcrumb]) -> String {
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
            self?.lookForHangs()
            self?.checkPulse()
        }
        // Loading is a call too, which begins when the process is started.
        EventLoop.shared.addTimer(after: pulse.limit) { [weak self] in
            guard let self, !connection.isOpen else { return }
            kill("it did not dial within \(pulse.limit)")
        }
    }

    /// Notices when the process does not run at all, so that no callback is reported either.
    private func checkPulse() {
        guard connection.isOpen, ending.verdict == nil else { return }
        switch pulse.look(at: .now, isListening: !connection.isPaused) {
        case .none: break
        case .ask: send(.ping)
        case .giveUp: kill("it did not answer within \(pulse.limit)")
        }
    }

    private func lookForHangs() {
        guard let limit = crumbs.findHang(at: .now) else { return }
        kill("it did not come back within \(limit) (CallbackTimeout)")
    }
}
