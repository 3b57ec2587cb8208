// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DBus
internal import Dispatch
internal import Glibc
internal import ListKit
internal import ListSupport
internal import Synchronization

/// One process of a plugin's worker: started, spoken to, watched, and taken away.
///
/// It belongs to the event loop. A large report is decoded on a queue of its own, so that it does not keep the loop, and what
/// comes after it waits for it; a worker that says more than is taken is not read meanwhile.
@DBusActor
final class WorkerProcess {
    /// What becomes of it, told on the loop.
    struct Events {
        /// The plugin is loaded.
        var loaded: @DBusActor (PluginFacts) -> Void
        /// The plugin cannot be loaded.
        var refused: @DBusActor (ListError) -> Void
        /// It has said something about a data source.
        var source: @DBusActor (WorkerReport) -> Void
        /// The plugin speaks.
        var log: @Sendable (WorkerReport) -> Void
        /// The process has written a line, as its bytes (``WorkerOutput/text(of:)``); one of a backtrace, or another one.
        var printed: @Sendable (_ line: [UInt8], _ isBacktrace: Bool) -> Void
        /// The process is gone, and everything that it said has been handled; last.
        var ended: @DBusActor (WorkerDeath) -> Void
    }

    /// While more than this waits to be handled, the worker is not read, in bytes.
    private static let pausedAbove = 16 << 20
    /// How many reports are read in one stretch of time, so that a worker that never stops leaves time for others.
    private static let reportsInStretch = 256
    private static let stretch = Duration.milliseconds(10)
    /// How long a connection may outlive its process.
    private static let lingering = Duration.milliseconds(200)

    let crumbs: BreadcrumbMap
    /// The process id; 0 = it is being started, or could not be.
    private(set) var identifier: Int32 = 0
    /// For people.
    var name: String { identifier > 0 ? "the worker \(identifier)" : "its worker" }
    private let plugin: String
    private let events: Events
    private let callbackTimeout: Duration
    private var output: WorkerOutput?
    private var socket: WorkerSocket?
    private var link: WorkerLink?
    /// Who dialled before it was known which process that has to be.
    private var early: (process: Int32?, peer: Peer?) = (nil, nil)
    private var exitWatch: (DescriptorWatch, FileDescriptor)?
    private var hangWatch: LoopTimer?
    private var pulse: WorkerPulse
    private var seen: [Int: (stamp: UInt64, since: ContinuousClock.Instant)] = [:]
    private var usedCrumbs: Set<Int> = [0]
    private var waiting: [WorkerPacket] = []
    /// Reports that are not handled yet, and their bytes.
    private var packetsInHand = 0
    private var bytesInHand = 0
    private var isBehind = false
    private var stretchStart = ContinuousClock.now
    private var reportsRead = 0
    private var verdict: String?
    /// The call that did not come back.
    private var culprit: Int?
    private var outcome: WorkerDeath?
    private var hasEnded = false
    private let queue = DispatchQueue(label: "org.listd.worker.reports")
    /// Who gets what is reported of a list; read on the queue.
    private let lists = Mutex<[PresenterNumber: any PresentedList]>([:])

    init(plugin: String, callbackTimeout: Duration, events: Events) throws(ListError) {
        self.plugin = plugin
        self.callbackTimeout = callbackTimeout
        self.events = events
        pulse = WorkerPulse(callbackTimeout: callbackTimeout)
        crumbs = try BreadcrumbMap()
    }

    /// Has the process started, which then dials; one that cannot be started has ended.
    func start(_ program: WorkerExecutable, hasNetwork: Bool = false) throws(ListError) {
        let link = WorkerLink { [weak self] packet in self?.receive(packet) }
        self.link = link
        let (output, writingEnd) = try WorkerOutput.open(events.printed)
        let socket: WorkerSocket
        do throws(ListError) {
            socket = try WorkerSocket.listen { [weak self] in self?.admits($0.processID) ?? false }
        } catch {
            output.close()
            throw error
        }
        (self.output, self.socket) = (output, socket)
        socket.server.objects = link.tree
        socket.server.onConnection { [weak self] peer in self?.connected(peer) }
        watchForHangs()
        let (title, address, crumbs) = ("listd:\(plugin)", socket.address, crumbs)
        WorkerSpawner.shared.run {
            let outcome = Result { () throws(ListError) in
                try program.start(
                    as: title, address: address, hasNetwork: hasNetwork, writingTo: writingEnd, passing: crumbs.file)
            }
            EventLoop.shared.post { self.started(outcome) }
        }
    }

    /// Sends an order; until the worker has dialled it waits.
    func send(_ packet: WorkerPacket) {
        guard let link, link.connection != nil else { return waiting.append(packet) }
        do throws(DBusError) { try link.send(packet) } catch { kill("it cannot be spoken to: \(error.message)") }
    }

    /// Sends an order.
    func send(_ order: WorkerOrder) {
        do throws(ListError) { send(try WorkerPacket(order)) } catch { kill(error.message) }
    }

    /// Ends the process at once; the reason is what `ended` is told.
    func kill(_ reason: String) {
        guard verdict == nil, outcome == nil else { return }
        verdict = reason
        killGroup()
    }

    private func killGroup() {
        // One that is being started is ended as soon as it is there.
        guard identifier > 0 else { return }
        // The worker leads a group, which nothing that it starts can leave: all of it goes with it.
        if Glibc.kill(-identifier, SIGKILL) != 0 { Glibc.kill(identifier, SIGKILL) }
    }

    // MARK: Lists

    /// Lets what is reported of a list through to its host.
    func place(_ list: any PresentedList, at slot: PresenterNumber) { lists.withLock { $0[slot] = list } }

    /// Lets nothing of a list through any more.
    func vacate(_ slot: PresenterNumber) { lists.withLock { $0[slot] = nil } }

    /// A slot for breadcrumbs that nobody else has; nil when there are none left.
    func takeCrumb() -> Int? {
        guard let crumb = (1..<BreadcrumbMap.count).first(where: { !usedCrumbs.contains($0) }) else { return nil }
        usedCrumbs.insert(crumb)
        return crumb
    }

    /// Gives a slot back.
    func giveBack(_ crumb: Int) {
        usedCrumbs.remove(crumb)
        seen[crumb] = nil
    }
}

// MARK: - The start

extension WorkerProcess {
    /// Whether a process may dial: the one that was started, or whoever comes before that is known.
    private func admits(_ process: Int32?) -> Bool {
        guard let process else { return false }
        guard identifier == 0, early.process == nil else { return process == identifier }
        early.process = process
        return true
    }

    private func started(_ outcome: Result<Int32, ListError>) {
        do throws(ListError) {
            identifier = try outcome.get()
            try watchExit()
        } catch {
            killGroup()
            hangWatch?.cancel()
            self.outcome = WorkerDeath(reason: error.description)
            return end()
        }
        let (process, peer) = early
        early = (nil, nil)
        if let process, process != identifier { kill("process \(process) dialled in its place") }
        guard verdict == nil else { return killGroup() }
        if let peer { connected(peer) }
    }
}

// MARK: - What comes in

extension WorkerProcess {
    private func connected(_ peer: Peer) {
        guard identifier > 0 else { return early.peer = peer }
        guard let link, link.connection == nil, let connection = peer.connection else { return }
        link.connection = connection
        peer.onDeparture { [weak self] in self?.departed() }
        let orders = waiting
        waiting = []
        for order in orders { send(order) }
        socket?.hide()
    }

    private func receive(_ packet: WorkerPacket) {
        // Who is not known yet has nothing to say.
        guard link?.connection != nil else { return }
        pulse.heard()
        let isLight = packetsInHand == 0 && packet.isLight
        let count = packet.byteCount
        packetsInHand += 1
        bytesInHand += count
        if bytesInHand > Self.pausedAbove { isBehind = true }
        countReport()
        readOrPause()
        if isLight {
            read(packet, isLight: true)
            return handled(count)
        }
        queue.async { [self] in
            read(packet, isLight: false)
            EventLoop.shared.post { self.handled(count) }
        }
    }

    private nonisolated func read(_ packet: WorkerPacket, isLight: Bool) {
        do throws(WireError) {
            handle(try packet.value(of: WorkerReport.self), isLight: isLight)
        } catch {
            EventLoop.shared.post { self.kill("it wrote what no worker writes (\(error.what))") }
        }
    }

    private nonisolated func handle(_ report: WorkerReport, isLight: Bool) {
        switch report {
        case .loaded(let facts): EventLoop.shared.post { self.events.loaded(facts) }
        case .refused(let error): EventLoop.shared.post { self.events.refused(error) }
        case .presented(let slot, let output):
            let list = lists.withLock { $0[slot] }
            list?.times?.addReport(ofWorkerOf: plugin)
            list?.report(output, from: slot, isLight: isLight)
        case .sourceMade, .sourceEvent, .sourceStopped: EventLoop.shared.post { self.events.source(report) }
        case .log: EventLoop.shared.post { self.events.log(report) }
        case .alive: break  // it was heard, see `receive`
        }
    }

    private func handled(_ count: Int) {
        packetsInHand -= 1
        bytesInHand -= count
        if bytesInHand < Self.pausedAbove / 4 { isBehind = false }
        readOrPause()
    }

    private func countReport() {
        let now = ContinuousClock.now
        if stretchStart + Self.stretch <= now { (stretchStart, reportsRead) = (now, 0) }
        reportsRead += 1
        guard reportsRead == Self.reportsInStretch else { return }
        EventLoop.shared.addTimer(after: Self.stretch) { [weak self] in
            self?.reportsRead = 0
            self?.readOrPause()
        }
    }

    private func readOrPause() {
        let isPaused = outcome == nil && (isBehind || reportsRead >= Self.reportsInStretch)
        guard let connection = link?.connection, connection.readingIsPaused != isPaused else { return }
        connection.readingIsPaused = isPaused
    }
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
        // Whom it has left behind; until it is reaped, its group cannot be anybody else's.
        killGroup()
        var value: Int32 = 0
        var wasSignalled: Int32 = 0
        guard unsafe listd_reap(identifier, &value, &wasSignalled) != 0 else { return }
        exitWatch?.0.cancel()
        exitWatch = nil
        hangWatch?.cancel()
        let way = wasSignalled != 0 ? "signal \(value) (\(Self.name(ofSignal: value)))" : "exit code \(value)"
        let lastWords = output?.finish().map { "; it wrote last: “\($0)”" } ?? ""
        let calls = callsUnderWay
        outcome = WorkerDeath(
            reason: "\(verdict ?? "it ended with \(way)")\(Self.place(of: calls))\(lastWords)", calls: calls)
        // What it said before is still on its way; a child of it may hold the connection open.
        guard link?.connection != nil else { return departed() }
        readOrPause()
        EventLoop.shared.addTimer(after: Self.lingering) { self.departed() }
    }

    private func departed() {
        link?.connection?.close()
        link?.connection = nil
        guard outcome != nil else {
            // It has most likely ended, which is told in a moment; if not, it is of no use any more.
            EventLoop.shared.addTimer(after: Self.lingering) { [weak self] in self?.kill("it hung up") }
            return
        }
        end()
    }

    private func end() {
        guard !hasEnded, let outcome else { return }
        hasEnded = true
        socket?.close()
        output?.close()
        output = nil
        queue.async { [self] in
            lists.withLock { $0 = [:] }
            EventLoop.shared.post { self.events.ended(outcome) }
        }
    }

    /// What it was in the middle of, as far as it said so, by breadcrumb.
    private var callsUnderWay: [Int: Breadcrumb] {
        let suspects = culprit.map { [$0] } ?? usedCrumbs
        return Dictionary(
            suspects.compactMap { crumb in crumbs.slot(crumb)?.breadcrumb.map { (crumb, $0) } },
            uniquingKeysWith: { $1 })
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
            self?.takePulse()
        }
        // Loading is a call too, which begins when the process is started.
        EventLoop.shared.addTimer(after: pulse.limit) { [weak self] in
            guard let self, link?.connection == nil else { return }
            kill("it did not dial within \(pulse.limit)")
        }
    }

    /// Finds out when the process stands still, so that it says nothing of any callback either.
    private func takePulse() {
        guard let connection = link?.connection, verdict == nil else { return }
        switch pulse.look(at: .now, isListening: !connection.readingIsPaused) {
        case .none: break
        case .ask: send(.ping)
        case .giveUp: kill("it did not answer within \(pulse.limit)")
        }
    }

    private func lookForHangs() {
        let now = ContinuousClock.now
        for crumb in usedCrumbs {
            let stamp = crumbs.slot(crumb)?.stamp ?? 0
            guard stamp != 0 else {
                seen[crumb] = nil
                continue
            }
            if let known = seen[crumb], known.stamp == stamp {
                if known.since.duration(to: now) >= callbackTimeout {
                    culprit = crumb
                    return kill("it did not come back within \(callbackTimeout) (CallbackTimeout)")
                }
            } else {
                seen[crumb] = (stamp, now)
            }
        }
    }
}
