// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources

/// What a reload has done.
struct ReloadResult {
    /// How many lists are gone.
    var removed = 0
    /// How many lists are others, or have taken the place of one.
    var changed = 0
    /// How many lists are new.
    var added = 0
    /// What could not be done.
    var failures: [ConfigurationFault] = []
}

extension RunningDaemon {
    /// Whether the daemon ends: no further step of a start or a reload is taken.
    var isStopping: Bool { stopFlag.isSet || service.phase != .running }

    /// Does what was planned, as far as the store and the engines let it, until the daemon ends.
    ///
    /// - Parameter origin: who wants it.
    func perform(_ plan: ReloadPlan, for origin: Origin) async -> ReloadResult {
        var result = ReloadResult()
        for adapter in plan.removed {
            await attempt("stays, although no file configures it", adapter.name, directory, \.removed, &result) {
                () async throws(ListError) in
                try await service.remove(adapter)
                service.log(adapter, "removed", by: origin)
            }
        }
        for (adapter, list, controllers) in plan.changed {
            await attempt("stays as it was", list.name, list.place(of: "Source"), \.changed, &result) {
                () async throws(ListError) in
                let before = adapter.access
                try await adapter.reconfigure(list.options, access: list.access, controllers: controllers)
                service.log(changesFrom: before, of: adapter, by: origin)
            }
        }
        for (adapter, prepared) in plan.replaced {
            await attempt("could not be replaced", prepared.list.name, prepared.place, \.changed, &result) {
                () async throws(ListError) in
                let before = adapter.access
                try await replace(adapter, by: prepared, for: origin)
                guard let new = service.adapters.object(prepared.list.name) else { return }
                service.log(new, "created", by: origin)
                service.log(changesFrom: before, of: new, by: origin)
            }
        }
        for prepared in plan.added {
            let name = prepared.list.name
            let isStored = setApart[ExactText(name)] != nil
            await attempt("is left out", name, prepared.place, \.added, &result) {
                () async throws(ListError) in
                try await make(prepared)
                if let adapter = service.adapters.object(name) { service.log(adapter, "created", by: origin) }
            }
            // Whoever reads its properties after the reload finds what was stored.
            if isStored, let adapter = service.adapters.object(name) { await service.hearHost(of: adapter) }
        }
        return result
    }

    /// Where a list is missing that has no file any more.
    private var directory: ConfigurationPlace {
        ConfigurationPlace(file: options.configurationDirectory, line: nil)
    }

    /// Takes one step; a failure says what the list is then.
    private func attempt(
        _ failure: String, _ name: String, _ place: ConfigurationPlace, _ count: WritableKeyPath<ReloadResult, Int>,
        _ result: inout ReloadResult, _ step: () async throws(ListError) -> Void
    ) async {
        guard !isStopping else { return }
        do throws(ListError) {
            try await step()
            result[keyPath: count] += 1
        } catch {
            let fault = ConfigurationFault(place: place, message: "the list \(name) \(failure): \(error)")
            log.say(fault, ofList: name)
            result.failures.append(fault)
        }
    }

    private func replace(
        _ adapter: AdapterObject, by prepared: PreparedList, for origin: Origin
    ) async throws(ListError) {
        do throws(ListError) {
            try await service.remove(adapter)
            service.log(adapter, "removed", by: origin)
        } catch {
            prepared.parts.discard()
            throw error
        }
        try await make(prepared)
    }
}

extension Service {
    /// Says that other users may read a list, write to it or invoke its actions, if that is so.
    fileprivate func log(changesFrom before: AdapterAccess, of adapter: AdapterObject, by origin: Origin) {
        let now = adapter.access
        let changes = [
            ("readers", before.readers, now.readers), ("writers", before.writers, now.writers),
            ("invokers", before.invokers, now.invokers),
        ].filter { $0.1 != $0.2 }.map { "\($0.0) from \($0.1.text) to \($0.2.text)" }
        guard !changes.isEmpty else { return }
        log(adapter, "changed (\(changes.joined(separator: ", ")))", by: origin)
    }
}

extension PreparedList {
    /// Where the file says what the list is made of.
    fileprivate var place: ConfigurationPlace { list.place(of: "Source") }
}
