// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListProtocol
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// The daemon's state as text, for people who look for an error.
@DBusActor
struct StateDump {
    private let service: Service
    private let features: [String]
    private let directAddress: String

    init(_ service: Service, features: [String], directAddress: String) {
        (self.service, self.features, self.directAddress) = (service, features, directAddress)
    }

    /// Returns the whole text.
    func text() async -> String {
        var lines = ["listd \(Version.text), process \(getpid()), log level \(service.log.level.name)"]
        lines.append("features: \(features.joined(separator: " "))")
        lines.append("direct address: \(directAddress.isEmpty ? "none" : directAddress)")
        lines += service.transports.description.map { "  " + $0 }
        lines += await linesAboutStore()
        lines.append("statistics:")
        lines += service.counters.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        lines.append("plugins:")
        lines += service.plugins.all.map { plugin in
            "  \(plugin.name) \(plugin.version): \(plugin.state.rawValue), \(plugin.file) \(plugin.lastError)"
        }
        lines.append("adapters:")
        for adapter in service.adapters.all { lines += await linesAbout(adapter).map { "  " + $0 } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the lines about an adapter: its numbers, the state of its host, and its views.
    private func linesAbout(_ adapter: AdapterObject) async -> [String] {
        let status = adapter.status
        let numbers = "revision \(status.revision), \(status.objectCount) objects, \(status.itemCount) items"
        var lines = ["\(adapter.name.quoted) (\(adapter.state.rawValue)): \(numbers), epoch \(adapter.epoch)"]
        lines.append(
            "  source \(adapter.options.source.text), owner \(adapter.access.owner), "
                + "readers \(adapter.access.readers.text)")
        let description = await withCheckedContinuation { continuation in
            adapter.host.describe { continuation.resume(returning: $0) }
        }
        lines += description.split(separator: "\n").map { "  " + $0 }
        lines += service.views.all(of: adapter).map { view in
            "  view \(view.number) of \(view.owner.name): \(view.state), sequence \(view.sequence), "
                + "acknowledged \(view.acknowledgedSequence)"
        }
        return lines
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns the lines about the store: its file, and the result of `PRAGMA integrity_check`, with one line for
    /// each error; then the losses that nobody has acknowledged. Programs parse these lines (org.listd.Listd1(5)).
    private func linesAboutStore() async -> [String] {
        guard let store = service.store else { return ["store: none, lists live in memory"] }
        do throws(ListError) {
            let faults = try await store.faults()
            let verdict = faults.isEmpty ? "integrity ok" : "\(faults.count) faults"
            return ["store: \(store.path), \(try await store.byteCount()) bytes, \(verdict)"]
                + faults.prefix(20).map { "store fault: \(Self.line($0))" }
                + service.losses.map { "store loss: \(Self.line($0.text))" }
        } catch {
            return ["store: \(store.path), \(error)"]
        }
    }
}

extension Transports {
    /// The lines about the connections.
    fileprivate var description: [String] {
        let queue = bus.map { "\($0.uniqueName), \($0.outgoingSize) bytes queued" } ?? "not connected"
        return ["bus: \(queue)", "direct clients that do not read: \(direct.countBehind)"]
    }
}
