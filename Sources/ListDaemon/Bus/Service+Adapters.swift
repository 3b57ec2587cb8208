internal import DBus
@_spi(Daemon) internal import ListKit

extension Service {
    /// Makes an adapter and shows it.
    ///
    /// - Throws: `invalidArguments` or `adapterExists` for the name, `limitsExceeded` when the owner has as many as a user
    ///   may have, and what is wrong with the section controllers or the plugins that they come from.
    func makeAdapter(
        name: String, options: AdapterOptions, access: AdapterAccess
    ) async throws(ListError) -> AdapterObject {
        try adapters.reserve(name)
        defer { adapters.cancelReservation(name) }
        let controllers = try await plugins.sectionControllers(for: options.sectionControllers)
        if !access.isConfigured { try book(Quotas.Amounts(adapters: 1), for: access.owner) }
        let adapter = AdapterObject(
            service: self, name: name, epoch: Epoch.new(), access: access, options: options
        ) { sink in
            AdapterHost(
                configuration: options.configuration(named: name),
                controllers: { controllers.makeProvider() }, sink: sink)
        }
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        return adapter
    }

    /// Takes an adapter away at once; `completion` runs when its views are closed and its callers answered.
    func remove(_ adapter: AdapterObject, completion: @escaping @DBusActor () -> Void) {
        adapters.remove(adapter)
        tree.remove(at: adapter.path)
        adapter.request { [quotas] _ in
            if !adapter.access.isConfigured {
                quotas.release(Quotas.Amounts(adapters: 1), for: adapter.access.owner)
            }
            completion()
        } _: { id in
            .stop(id, .adapterRemoved)
        }
    }

    /// Ends all hosts: what was accepted is finished, the views are closed, every caller is answered.
    func stopHosts() async {
        let all = adapters.all
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var left = all.count
            if left == 0 { continuation.resume() }
            for adapter in all {
                adapter.request { _ in
                    left -= 1
                    if left == 0 { continuation.resume() }
                } _: { id in
                    .stop(id, .shuttingDown)
                }
            }
        }
    }

    private func book(_ amounts: Quotas.Amounts, for user: UInt32) throws(ListError) {
        do throws(Quotas.Exceeded) {
            try quotas.change(amounts, for: user)
        } catch {
            throw ListError(
                .limitsExceeded, "user \(user) has \(error.limit) \(error.resource.rawValue), more are not allowed")
        }
    }
}

/// Names for numberings of revisions.
enum Epoch {
    /// A name that nobody has used.
    static func new() -> String {
        var random = SystemRandomNumberGenerator()
        return [random.next(), random.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
