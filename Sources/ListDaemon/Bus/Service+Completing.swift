// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport

extension Service {
    /// Gives the lists that came back from the store without a plugin of theirs what they lack, if it is there now.
    ///
    /// One whose plugin is still missing stays as it is, which is logged.
    ///
    /// - Parameter plugin: the plugin that has come: only the lists that it fills or shows are looked at; nil = all.
    func completeAdapters(plugin: String? = nil) async {
        for adapter in adapters.all where adapter.isIncomplete {
            if let plugin, !adapter.options.uses(plugin: plugin) { continue }
            let name = adapter.name
            do throws(ListError) {
                try adapter.access.checkSource(adapter.options.source)
                try await adapter.complete(with: try await makeParts(of: adapter.options))
                log.info("adapter \(name.debugDescription) has its plugins again", .adapter(name))
            } catch {
                log.error("adapter \(name.debugDescription) is still not what it was: \(error)", .adapter(name))
            }
        }
    }
}

extension AdapterObject {
    /// Says that the list came back without some of its parts, and why.
    func lacks(_ faults: [ListError]) {
        let reason = ListError(.pluginFailed, faults.map(\.reason).joined(separator: "; "))
        changeFilling { $0.fail(reason.propertyText) }
    }

    /// Takes the section controllers and the source that were missing; the objects stay until the source tells others.
    ///
    /// - Throws: why the engine did not take the section controllers; the list is as incomplete as it was then.
    fileprivate func complete(with parts: AdapterParts) async throws(ListError) {
        guard isIncomplete, !isEnding else { return parts.discard() }
        setIncomplete(false)
        do throws(ListError) {
            try await configureHost(options, controllers: parts.controllers)
        } catch {
            setIncomplete(true)
            parts.discard()
            throw error
        }
        guard !isEnding else { return parts.discard() }
        parts.relays.adapter.setTarget(self)
        changeFilling { $0.enter(options.source == .push ? .ready : .loading) }
        begin(parts.source, parts.relays.feed)
    }
}
