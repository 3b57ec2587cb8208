internal import DBus
@_spi(Daemon) internal import ListKit

extension Service {
    /// Makes an adapter and shows it.
    ///
    /// - Throws: `invalidArguments` or `adapterExists` for the name, `limitsExceeded` when the owner has as many as a user
    ///   may have, and what is wrong with the source, the section controllers or the plugins that they come from.
    func makeAdapter(
        name: String, options: AdapterOptions, access: AdapterAccess
    ) async throws(ListError) -> AdapterObject {
        try adapters.reserve(name)
        defer { adapters.cancelReservation(name) }
        let controllers = try await plugins.sectionControllers(for: options.sectionControllers)
        try book(Quotas.Amounts(adapters: 1), for: access)
        do throws(ListError) {
            let relay = AdapterRelay()
            let feed = SourceFeed { event, completion in relay.apply(event, completion) }
            let source = try await makeSource(options.source, feed: feed)
            let adapter = AdapterObject(
                service: self, name: name, epoch: Epoch.new(), access: access, options: options, relay: relay,
                host: AdapterHost(
                    configuration: options.configuration(named: name),
                    controllers: controllers,
                    account: access.isConfigured ? nil : HostAccount(ledger: quotas, user: access.owner),
                    sink: relay.sink))
            adapter.begin(source, feed)
            adapters.add(adapter)
            tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
            return adapter
        } catch {
            release(Quotas.Amounts(adapters: 1), of: access)
            throw error
        }
    }

    /// Takes an adapter away at once; `completion` runs when its views are closed and its callers answered.
    func remove(_ adapter: AdapterObject, completion: @escaping @DBusActor () -> Void) {
        adapters.remove(adapter)
        tree.remove(at: adapter.path)
        adapter.end(.adapterRemoved) { [self] in
            release(Quotas.Amounts(adapters: 1), of: adapter.access)
            completion()
        }
    }

    /// Ends all hosts: what was accepted is finished, the views are closed, every caller is answered.
    func stopHosts() async {
        let all = adapters.all
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var left = all.count
            if left == 0 { continuation.resume() }
            for adapter in all {
                adapter.end(.shuttingDown) {
                    left -= 1
                    if left == 0 { continuation.resume() }
                }
            }
        }
    }

    /// Books what an adapter takes on its owner's account; configured ones do not count.
    private func book(_ amounts: Quotas.Amounts, for access: AdapterAccess) throws(ListError) {
        guard !access.isConfigured else { return }
        do throws(Quotas.Exceeded) {
            try quotas.change(amounts, for: access.owner)
        } catch {
            throw ListError(
                .limitsExceeded,
                "user \(access.owner) has \(error.limit) \(error.resource.rawValue), more are not allowed")
        }
    }

    private func release(_ amounts: Quotas.Amounts, of access: AdapterAccess) {
        if !access.isConfigured { quotas.release(amounts, for: access.owner) }
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
