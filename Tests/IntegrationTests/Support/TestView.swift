// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport

/// A view that records the signals that it receives, and applies `Changed` signals to its picture.
@DBusActor
final class TestView {
    /// A signal of a view.
    enum Event: Equatable, Sendable {
        /// `Changed`, with its sequence.
        case changed(UInt64)
        /// `Stalled`, with the last sent sequence.
        case stalled(UInt64)
        /// `Closed`, with its reason.
        case closed(String)
    }

    let path: ObjectPath
    let remote: RemoteObject
    let events = EventLog<Event>()
    /// The picture that results from all received signals.
    private(set) var picture = Picture()
    /// Whether a `Changed` signal did not fit the picture, because an earlier signal was lost.
    private(set) var hasGap = false

    /// Opens a view on a list.
    init(_ adapter: TestAdapter, by client: Connection? = nil, _ options: [String: DBusValue] = [:]) async throws {
        let client = client ?? adapter.stage.client
        (path, _, _, _, _, _) = try await adapter.by(client).call(
            "OpenView", options, returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        remote = adapter.stage.object(path, "View", by: client)
        let rule = MatchRule(path: path, interface: Listd.name + ".View")
        _ = try await client.subscribe(rule, onBus: false) { [weak self] in self?.handle($0) }
    }

    private func handle(_ message: Message) {
        switch message.member {
        case "Changed":
            guard let change = try? message.read({ (reader) throws(DBusError) in try PictureChange(signal: &reader) })
            else { return }
            if picture.apply(change) != .applied { hasGap = true }
            events.record(.changed(change.sequence))
        case "Stalled":
            events.record(.stalled((try? message.decode(as: UInt64.self, UInt64.self))?.0 ?? 0))
        case "Closed": events.record(.closed((try? message.decode(as: String.self)) ?? ""))
        default: break
        }
    }

    /// Sets a viewport of 320 × 480 at a vertical offset in the picture with the sequence `seen`; 0 = the newest.
    @discardableResult
    func setViewport(y: Double, seen: UInt64 = 0) async throws -> UInt64 {
        try await remote.call("SetViewport", seen, 0.0, y, 320.0, 480.0, returning: UInt64.self)
    }

    /// Acknowledges a picture. Returns when listd has handled the call.
    func acknowledge(_ sequence: UInt64) async throws {
        try await remote.call("Ack", sequence)
    }

    /// Fetches the daemon's picture, and replaces the view's own picture by it.
    @discardableResult
    func resync() async throws -> Picture {
        let message = try remote.message("Resync") { (_) throws(DBusError) in }
        let reply = try await remote.connection.call(message)
        picture = try reply.read { (reader) throws(DBusError) in try Picture(resync: &reader) }
        return picture
    }

    /// A property of the view.
    func property<Value: DBusDecodable>(_ name: String, as type: Value.Type) async throws -> Value {
        try await remote.property(name, as: type)
    }
}

extension TestAdapter {
    /// Fills the list with `count` objects that have equal fields: `o0`, `o1`, …
    func fill(_ count: Int, type: String = "", _ fields: [String: DBusValue] = [:]) async throws {
        _ = try await performUpdates((0..<count).map { Row("o\($0)", type, fields) })
    }
}

/// Returns the name of the error that `body` throws; `nil` if `body` succeeds.
@DBusActor
func failure(_ body: @DBusActor @Sendable () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return DBusError(error).name
    }
}
