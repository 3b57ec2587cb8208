// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient

/// The output of a list's changes as lines, until the program is interrupted, the list is removed, or an error occurs.
///
/// When the daemon or the bus ends, it waits for a new one, and then prints what changed in the meantime.
@DBusActor
final class Following {
    private let name: String
    private let address: BusAddress
    private let json: Bool
    private let firstScreen: FirstScreen?
    /// The message to print if the list is empty at first; nil once the first content has arrived.
    private var emptyText: String?
    private var daemon: AwaitedDaemon?
    private var follower: ListFollower?
    private var end: CheckedContinuation<ExitCode, Never>?

    init(_ name: String, _ address: BusAddress, json: Bool, firstScreen: FirstScreen? = nil, emptyText: String? = nil) {
        self.name = name
        self.address = address
        self.json = json
        self.firstScreen = firstScreen
        self.emptyText = emptyText
    }

    func run() async -> ExitCode {
        let follower = ListFollower(name: name) { [weak self] in self?.handle($0) }
        let daemon = AwaitedDaemon(at: address) { [weak self] in self?.daemonChanged($0) }
        (self.follower, self.daemon) = (follower, daemon)
        Output.exitWhenReaderCloses()
        return await withCheckedContinuation { continuation in
            end = continuation
            daemon.startSearch()
        }
    }

    private func daemonChanged(_ daemon: ListDaemonClient?) {
        guard let daemon else {
            follower?.detach()
            return
        }
        Task { @DBusActor in
            await firstScreen?.printScreen(ofList: name, on: daemon)
            await follower?.attach(to: daemon)
        }
    }

    private func handle(_ event: ListFollower.Event) {
        switch event {
        case .changed(let changes):
            daemon?.recordAnswer()
            for change in changes { printChange(change) }
            if let emptyText, follower?.mirror.count == 0 { Output.printMessage(emptyText) }
            emptyText = nil
        case .removed:
            Output.printMessage("the list “\(name)” was removed")
            finish(.done)
        case .failed(let error):
            if error.isTimeout || error.standard == .disconnected || error.standard == .serviceUnknown {
                daemon?.retryLater()
                return
            }
            Output.printMessage(error.explanation)
            finish(.failed)
        }
    }

    private func printChange(_ change: MirrorChange) {
        let revision = follower?.mirror.revision ?? 0
        if json {
            Output.writeJSON(change.members.merging(["revision": .uint64(revision)]) { $1 })
        } else {
            Output.writeLine("\(ClockTime.now)  revision \(revision)  \(change.text)")
        }
    }

    private func finish(_ code: ExitCode) {
        daemon?.close()
        end?.resume(returning: code)
        end = nil
    }
}

extension CommandContext {
    /// Returns the path of a list before a command follows it, and prints a message if the list has failed. Without the
    /// check, the command would wait forever for a list whose name is mistyped.
    ///
    /// Without a name it only checks that listd answers, and returns nil. When listd does not answer in time, it
    /// prints a message once and tries again.
    ///
    /// - Throws: the error of the bus or of listd.
    func findList(named name: String?, at address: BusAddress) async throws(DBusError) -> ObjectPath? {
        let daemon = ListDaemonClient(connection: try await address.connect())
        defer { daemon.connection.close() }
        var notice = WaitingNotice()
        while true {
            do throws(DBusError) {
                guard let name else {
                    _ = try await daemon.statistics()
                    return nil
                }
                let adapter = try await daemon.adapter(name)
                await daemon.reportFailure(of: adapter, named: name)
                return adapter.path
            } catch {
                guard error.isTimeout else { throw error }
                notice.report(.answer)
            }
        }
    }
}

// Messages on standard error about lists whose source cannot be read. Without a message, such a list would look like one
// that never changes.
extension ListDaemonClient {
    /// Prints a message if the list has failed, or lacks a part of its source.
    func reportFailure(of adapter: RemoteObject, named name: String) async {
        let state = try? await adapter.property("State", as: String.self)
        let error = try? await adapter.property("SourceError", as: String.self)
        Self.reportFailure(of: name, state: state ?? "", error: error ?? "")
    }

    /// Prints messages about all lists that have failed or lack a part of their source, and about plugins that have
    /// failed.
    func reportFailures(of lists: [AdapterRow]) async {
        for list in lists { Self.reportFailure(of: list.name, state: list.state, error: list.sourceError) }
        for plugin in (try? await plugins()) ?? [] where plugin.values.text("state") == Self.failed {
            Output.printMessage("the plugin “\(plugin.name)” has failed: \(plugin.values.text("error") ?? "")")
        }
    }

    private static let failed = "failed"

    private static func reportFailure(of name: String, state: String, error: String) {
        if state == failed {
            let reason = error.isEmpty ? "; users who may read the list see the reason" : ": \(error)"
            Output.printMessage("the list “\(name)” has failed\(reason)")
        } else if !error.isEmpty {
            Output.printMessage("the list “\(name)” is not complete: \(error)")
        }
    }
}

/// The output of all signals of one list, or of all lists that the user may read, until the program is interrupted.
///
/// Restricted lists, and all lists on a direct connection, send signals to subscribers only. Therefore it subscribes to
/// every list: to existing and to new lists, to lists whose options changed, because they may have other readers now,
/// and again to all lists of each new daemon.
@DBusActor
final class Monitor {
    private let path: ObjectPath?
    private let address: BusAddress
    private let json: Bool
    private var awaited: AwaitedDaemon?
    private var daemon: ListDaemonClient?
    /// The connection that has the match rules. It stays open when the daemon on the bus ends.
    private var connection: Connection?
    private var subscriptions: [Subscription] = []
    /// The numbers of the subscriptions to lists on this connection to this daemon.
    private var numbers: [ObjectPath: UInt64] = [:]
    private var listening: Task<Void, Never>?
    private var end: CheckedContinuation<ExitCode, Never>?

    /// Creates a monitor for the list at a path; nil for all lists.
    init(_ path: ObjectPath?, _ address: BusAddress, json: Bool) {
        self.path = path
        self.address = address
        self.json = json
    }

    func run() async -> ExitCode {
        let awaited = AwaitedDaemon(at: address) { [weak self] in self?.daemonChanged($0) }
        self.awaited = awaited
        Output.exitWhenReaderCloses()
        return await withCheckedContinuation { continuation in
            end = continuation
            awaited.startSearch()
        }
    }

    private func daemonChanged(_ daemon: ListDaemonClient?) {
        self.daemon = daemon
        guard let daemon else { return }
        if daemon.connection !== connection { cancelSubscriptions() }
        numbers = [:]
        connection = daemon.connection
        listen(to: daemon)
    }

    private func cancelSubscriptions() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        connection = nil
    }

    // MARK: - Subscribing

    /// Adds the match rules and subscribes, after an earlier task for that has ended, so that no rule is added twice.
    /// The earlier task ends soon: a call to a daemon that has ended fails at once.
    private func listen(to daemon: ListDaemonClient) {
        listening = Task { @DBusActor [listening] in
            await listening?.value
            if daemon === self.daemon { await addMatchRulesAndSubscribe(to: daemon) }
        }
    }

    /// Adds the match rules if the connection has none yet, then subscribes to the existing lists.
    private func addMatchRulesAndSubscribe(to daemon: ListDaemonClient) async {
        do throws(DBusError) {
            if subscriptions.isEmpty { try await addMatchRules(on: daemon.connection) }
            let paths = if let path { [path] } else { try await daemon.adapters().map(\.path) }
            for path in paths { try await subscribe(to: path, of: daemon) }
            awaited?.recordAnswer()
        } catch {
            guard daemon === self.daemon else { return }
            if error.isTimeout {
                awaited?.retryLater()
                return
            }
            if error.standard == .disconnected || error.standard == .serviceUnknown { return }
            Output.printMessage(error.explanation)
            finish(.failed)
        }
    }

    private func addMatchRules(on connection: Connection) async throws(DBusError) {
        let lists = MatchRule(sender: ListdName.bus, path: path, interface: ListdName.adapter)
        let arrivals = MatchRule(
            sender: ListdName.bus, path: ListdName.managerPath, interface: StandardInterface.objectManager,
            member: "InterfacesAdded")
        let changes = MatchRule(
            sender: ListdName.bus, path: path, interface: StandardInterface.properties, member: "PropertiesChanged",
            arguments: [0: ListdName.adapter])
        subscriptions = [
            try await connection.subscribe(lists) { [weak self] in self?.printSignal($0) },
            try await connection.subscribe(arrivals) { [weak self] in self?.listAdded($0) },
            try await connection.subscribe(changes) { [weak self] in self?.propertiesChanged($0) },
        ]
    }

    private func subscribe(to path: ObjectPath, of daemon: ListDaemonClient) async throws(DBusError) {
        let adapter = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
        do throws(DBusError) {
            let (number, _) = try await adapter.call("Subscribe", [String](), returning: UInt64.self, UInt64.self)
            // The list may have ended the earlier subscription itself.
            let earlier = numbers.updateValue(number, forKey: path)
            if let earlier { try? await adapter.call("Unsubscribe", earlier) }
        } catch  where error.standard == .unknownObject {
            // The list was removed, or does not exist yet. `InterfacesAdded` will announce it.
        } catch  where error.standard == .accessDenied && self.path == nil {
            // Other users may read the list, but not this one.
        }
    }

    private func listAdded(_ message: Message) {
        guard let path = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            self.path == path || (self.path == nil && path.parent == ListdName.adaptersPath)
        else { return }
        subscribe(to: path)
    }

    /// Subscribes again when the options of a list changed, because its readers may have changed too.
    private func propertiesChanged(_ message: Message) {
        let names = try? message.read { (reader) throws(DBusError) in
            _ = try reader.readString()
            return try [String: DBusValue](from: &reader).keys
        }
        if let path = message.path, names?.contains("Options") == true { subscribe(to: path) }
    }

    private func subscribe(to path: ObjectPath) {
        guard let daemon else { return }
        Task { @DBusActor in
            do throws(DBusError) {
                try await subscribe(to: path, of: daemon)
            } catch  where error.isTimeout {
                if daemon === self.daemon { awaited?.retryLater() }
            } catch  where error.standard == .accessDenied {
                guard daemon === self.daemon else { return }
                Output.printMessage(error.explanation)
                finish(.failed)
            } catch {
                // `AwaitedDaemon` reports that the daemon or the connection has ended.
            }
        }
    }

    private func finish(_ code: ExitCode) {
        cancelSubscriptions()
        awaited?.close()
        end?.resume(returning: code)
        end = nil
    }

    // MARK: - Printing

    private func printSignal(_ message: Message) {
        guard let path = message.path, let member = message.member,
            let values = try? message.values()
        else { return }
        let list = ListdName.unescaped(path) ?? path.text
        if json {
            let arguments = values.map { DBusValue.variant($0) }
            return Output.writeJSON([
                "list": .string(list), "signal": .string(member), "arguments": .array(element: "v", arguments),
            ])
        }
        let text = SignalText.text(of: member, values) ?? values.map { JSONLine($0).text }.joined(separator: " ")
        Output.writeLine(DisplayText.sanitized("\(ClockTime.now)  \(list)  \(member)  \(text)"))
    }
}

extension Command {
    /// `top`: shows the busiest lists and clients, and updates them regularly.
    static let top = Command(
        name: "top", group: .looking, summary: "Show the busiest lists and clients, again and again.",
        options: [
            .init(name: "delay", value: "SECONDS", summary: "The time between two updates: 1 to 3600, by default 2."),
            .init(
                name: "count", value: "NUMBER",
                summary: "End after NUMBER updates; by default only at q or "
                    + "Ctrl-C."),
        ],
        discussion: [
            "On a terminal, it overwrites its previous output, and q ends it. Only administrators see the clients."
        ]
    ) { invocation throws(UsageError) in
        let delay = try invocation.number(of: "delay", in: 1...3600) ?? 2
        let count = try invocation.number(of: "count", in: 1...1_000_000_000)
        return { context throws(DBusError) in
            try await context.withDaemon { daemon throws(DBusError) in
                Output.exitWhenReaderCloses()
                let screen = context.json ? nil : RefreshedScreen()
                defer { screen?.close() }
                var shown = 0
                while true {
                    let lists = try await daemon.adapters()
                    // Users who are not administrators see the lists only.
                    let clients = try? await daemon.clients()
                    if context.json {
                        for list in lists { Output.writeJSON(list.members) }
                    } else {
                        let rows = screen == nil ? Int.max : Terminal.size().rows
                        let style = TextStyle(
                            isColored: context.style.isColored, columns: screen.map { _ in Terminal.size().columns })
                        let lines = topLines(lists, clients, rows: rows, style)
                        if let screen { screen.show(lines) } else { lines.forEach(Output.writeLine) }
                    }
                    shown += 1
                    if shown == count { return .done }
                    if let screen {
                        if let code = await screen.wait(.seconds(delay)) { return code }
                    } else {
                        try? await Task.sleep(for: .seconds(delay))
                    }
                }
            }
        }
    }

    /// Returns the lines of one screen of `top`. Rows that do not fit are left out, so that the terminal does not scroll.
    @DBusActor
    private static func topLines(
        _ lists: [ListDaemonClient.AdapterRow], _ clients: [ListDaemonClient.Description]?, rows: Int,
        _ style: TextStyle
    ) -> [String] {
        let busiest = lists.sorted {
            ($1.changesPerSecond, $1.views, $1.objects) < ($0.changesPerSecond, $0.views, $0.objects)
        }
        let callers = clients?.sorted { ($1.values.number("calls-10s") ?? 0) < ($0.values.number("calls-10s") ?? 0) }
        let objects = lists.reduce(0) { $0 + $1.objects }
        let heading =
            "listd  \(countText(lists.count, "list")), \(countText(objects, "object")), "
            + countText(lists.reduce(0) { $0 + $1.views }, "view")
            + (clients.map { ", " + countText($0.count, "client") } ?? "")
        // The key is always shown at the end of the line; the counts before it are cut if necessary.
        let key = rows == .max ? "" : "  q quits"
        let fitted = style.columns.map { DisplayText.fitted(heading, to: max(5, $0 - key.count)) + key } ?? heading
        var lines = [style.painted("listd", .name) + fitted.dropFirst(5), ""]
        // Subtracts the two headings and the empty line between the tables.
        let room = rows == .max ? Int.max : max(1, rows - lines.count - (callers == nil ? 1 : 3))
        let shownLists = min(busiest.count, callers == nil ? room : max(room / 2, room - (callers?.count ?? 0)))
        lines += table(ListDaemonClient.AdapterRow.columns, busiest.prefix(shownLists).map(\.row), style)
        if let callers {
            let rows = callers.prefix(max(0, room == .max ? .max : room - shownLists)).map(\.clientRow)
            lines += [""] + table(ListDaemonClient.Description.clientColumns, rows, style)
        }
        return Array(lines.prefix(rows))
    }

    private static func countText(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func table(_ columns: [TextTable.Column], _ rows: [[String]], _ style: TextStyle) -> [String] {
        let rows = rows.map { row in row.map { DisplayText.sanitized($0) } }
        let table = TextTable(columns, for: rows, style: style)
        return [table.heading] + rows.map { table.line($0) }
    }
}

/// The terminal of a command that overwrites its own output again and again, until the user types q or Ctrl-C.
///
/// Until `close` restores the terminal, typed characters are not echoed.
@DBusActor
final class RefreshedScreen {
    private let saved: termios?
    private var keys: DescriptorWatch?
    private var signals: TerminalSignals?
    private var exitCode: ExitCode?
    private var pause: (timer: LoopTimer, next: CheckedContinuation<Void, Never>)?

    /// Takes over the terminal on standard output; nil when there is no terminal, or TERM says that it can only print
    /// lines.
    init?() {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        guard isatty(STDOUT_FILENO) == 1, kind != "dumb" else { return nil }
        var mode = termios()
        // The C library fills in the mode.
        saved = unsafe tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
        // Signals are handled before the terminal changes, so that a signal at any time restores the terminal.
        signals = TerminalSignals { signal in
            EventLoop.shared.post { [weak self] in self?.handle(signal) }
        }
        Output.write("\u{1B}[?25l")
        guard saved != nil else { return }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The C library copies the mode.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        keys = try? EventLoop.shared.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.readKeys() }
    }

    /// Overwrites what is on the terminal. The caller must leave out lines that do not fit.
    func show(_ lines: [String]) {
        Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
    }

    /// Waits for the delay, or until the terminal is resized. Returns the exit code when the user typed q or a signal
    /// must end the program, else nil.
    func wait(_ delay: Duration) async -> ExitCode? {
        if let exitCode { return exitCode }
        await withCheckedContinuation { next in
            pause = (EventLoop.shared.addTimer(after: delay) { [weak self] in self?.endWait() }, next)
        }
        return exitCode
    }

    /// Restores the terminal. The last output stays on it.
    func close() {
        keys?.cancel()
        signals?.cancel()
        Output.write("\u{1B}[?25h\n")
        guard var mode = saved else { return }
        // The C library copies the mode.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    private func handle(_ signal: Int32) {
        if signal != SIGWINCH { exitCode = .ended(by: signal) }
        endWait()
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The C library fills in the bytes.
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0, !bytes.prefix(count).contains(UInt8(ascii: "q")) { return }
        if count <= 0 { keys?.cancel() }
        exitCode = .done
        endWait()
    }

    private func endWait() {
        guard let (timer, next) = pause else { return }
        pause = nil
        timer.cancel()
        next.resume()
    }
}
