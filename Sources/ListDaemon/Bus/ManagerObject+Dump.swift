// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers

extension ManagerObject {
    /// `Dump` (inline) and `DumpByFileDescriptor`: the daemon's state for people who look for a fault.
    func dump(_ call: Call, inline: Bool) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        answer(call) { [self] in
            let text = await dumpText()
            if inline {
                service.reads.answer(call, size: text.utf8.count) {
                    $0.append(text)
                } finished: {
                }
            } else {
                call.reply(try SealedMemory.file(named: "listd dump", containing: Array(text.utf8)))
            }
        }
    }

    private func dumpText() async -> String {
        var lines = ["listd \(Version.text), process \(getpid()), log level \(service.log.level.name)"]
        lines.append("features: \(features.joined(separator: " "))")
        lines.append("direct address: \(directAddress.isEmpty ? "none" : directAddress)")
        lines += service.transports.description.map { "  " + $0 }
        lines += await storeText()
        lines.append("statistics:")
        lines += service.counters.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        lines.append("plugins:")
        lines += service.pluginObjects.all.map { plugin in
            "  \(plugin.name) \(plugin.version): \(plugin.state.rawValue), \(plugin.file) \(plugin.lastError)"
        }
        lines.append("adapters:")
        for adapter in service.adapters.all { lines += await adapter.dump().map { "  " + $0 } }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Transports {
    /// One line for each connection.
    fileprivate var description: [String] {
        let queue = bus.map { "\($0.uniqueName), \($0.outgoingSize) bytes wait" } ?? "not connected"
        return ["bus: \(queue)", "direct clients that do not read: \(direct.countBehind)"]
    }
}

extension AdapterObject {
    /// The adapter, what its engine says of itself, and its views.
    fileprivate func dump() async -> [String] {
        let numbers = "revision \(status.revision), \(status.objectCount) objects, \(status.itemCount) items"
        var lines = ["\(name.debugDescription) (\(state.rawValue)): \(numbers), epoch \(epoch)"]
        lines.append("  source \(options.source.text), owner \(access.owner), readers \(access.readers.text)")
        let description = await withCheckedContinuation { continuation in
            request { outcome in
                if case .success(.text(let text)) = outcome {
                    continuation.resume(returning: text)
                } else {
                    continuation.resume(returning: "")
                }
            } _: { id in
                .query(id, .description)
            }
        }
        lines += description.split(separator: "\n").map { "  " + $0 }
        lines += service.views.all.filter { $0.adapter === self }.map { view in
            "  view \(view.number) of \(view.owner.name): \(view.state), sequence \(view.sequence), "
                + "acknowledged \(view.acknowledgedSequence)"
        }
        return lines
    }
}
