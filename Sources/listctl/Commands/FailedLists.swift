import DBus
import ListClient

/// How lists stand, and complaints on standard error about those whose source cannot be read: they look like lists that
/// nothing happens to.
@DBusActor
enum FailedLists {
    /// How one list stands.
    struct Standing {
        /// The property `State`.
        var state = ""
        /// The property `SourceError`; nil for those who may not read the list.
        var error: String?
    }

    /// Complains about one list.
    static func tell(of adapter: RemoteObject, named name: String) async {
        let state = try? await adapter.property("State", as: String.self)
        let error = try? await adapter.property("SourceError", as: String.self)
        tell(name, Standing(state: state ?? "", error: error))
    }

    /// How all lists stand; none when listd does not say.
    static func standings(of daemon: ListDaemonClient) async -> [ObjectPath: Standing] {
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let directory = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: ListdName.adaptersPath,
            interface: StandardInterface.objectManager)
        guard let lists = try? await directory.call("GetManagedObjects", returning: Managed.self) else { return [:] }
        return lists.compactMapValues { interfaces in
            guard let properties = interfaces[ListdName.adapter] else { return nil }
            var standing = Standing()
            if case .string(let state)? = properties["State"] { standing.state = state }
            if case .string(let error)? = properties["SourceError"] { standing.error = error }
            return standing
        }
    }

    /// Complains about all lists that stand so, and about plugins that failed.
    static func tellAll(_ standings: [ObjectPath: Standing], of daemon: ListDaemonClient) async {
        for (path, standing) in standings.sorted(by: { $0.key.text < $1.key.text }) {
            tell(ListdName.unescaped(path) ?? path.text, standing)
        }
        for plugin in (try? await daemon.plugins()) ?? [] where plugin.state == failed {
            Output.complain("the plugin “\(plugin.name)” has failed: \(plugin.lastError)")
        }
    }

    private static let failed = "failed"

    private static func tell(_ name: String, _ standing: Standing) {
        if standing.state == failed {
            let reason = standing.error.map { ": \($0)" } ?? "; those who may read it see why"
            Output.complain("the list “\(name)” has failed\(reason)")
        } else if let error = standing.error, !error.isEmpty {
            Output.complain("the list “\(name)” is not complete: \(error)")
        }
    }
}
