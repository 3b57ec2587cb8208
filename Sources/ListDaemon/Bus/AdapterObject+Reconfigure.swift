// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListWorkers

extension AdapterObject {
    /// Takes other options over; the objects stay, wherever the section controllers are from now on.
    ///
    /// - Parameter controllers: the section controllers, if they are others than before.
    /// - Throws: why the store or the engine did not take them; everything is as it was then.
    func reconfigure(
        _ new: AdapterOptions, access: AdapterAccess, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await store(as: new)
        do throws(ListError) {
            try await configureHost(new, controllers: controllers)
        } catch {
            await takeBack(new)
            throw error
        }
        let before = options.source
        adopt(new, access: access)
        propertiesChanged(new.source == before ? ["Options"] : ["Source", "Options"])
        guard new.source != before, case .list(_, let argument) = new.source else { return }
        following?.setQuery(try DerivedQuery(parsing: argument)) { _ in }
    }

    /// Has the list stored as it was before options that the engine did not take.
    func takeBack(_ new: AdapterOptions) async {
        do throws(ListError) {
            try await store(as: options)
        } catch {
            // It is stored as the new options say, whether it is one that is kept or not: that must not be hidden.
            var actual = options
            actual.durability = new.durability
            adopt(actual, access: access)
            propertiesChanged(["Options"])
        }
    }

    /// Lets other section controllers show the list, wherever they are; the objects stay.
    func configureHost(
        _ new: AdapterOptions, controllers: SectionControllerTable?
    ) async throws(ListError) {
        try await ask { [name] id in .configure(id, new.configuration(named: name), controllers) }
    }

    /// Has the list stored as options say, from now on; when the store refuses, everything is as it was.
    func store(as new: AdapterOptions) async throws(ListError) {
        let values = try Fields(new.values)
        switch (stored.isStored, stored.isStored(with: new.durability)) {
        case (false, true):
            stored.begin(values, durability: new.durability)
            try await ask { id in .keep(id, true) }
        case (true, false):
            try await stored.end(values)
            try await ask { id in .keep(id, false) }
        case (true, true), (false, false): try await stored.take(values, durability: new.durability)
        }
    }

    private func ask(_ command: (RequestID) -> AdapterCommand) async throws(ListError) {
        let outcome = await withCheckedContinuation { continuation in
            request({ continuation.resume(returning: $0) }, command)
        }
        _ = try outcome.get()
    }
}
