import DBus
import ListClient

/// Tells on standard error of lists whose source has failed: they look like lists that nothing happens to.
@DBusActor
enum FailedLists {
    static func tell(of adapter: RemoteObject, named name: String) async {
        if (try? await adapter.property("State", as: String.self)) == failed { tell(name) }
    }

    static func tellAll(of daemon: ListDaemonClient) async {
        typealias Managed = [ObjectPath: [String: [String: DBusValue]]]
        let directory = RemoteObject(
            daemon.connection, destination: ListdName.bus, path: ListdName.adaptersPath,
            interface: StandardInterface.objectManager)
        guard let lists = try? await directory.call("GetManagedObjects", returning: Managed.self) else { return }
        for (path, interfaces) in lists.sorted(by: { $0.key.text < $1.key.text })
        where interfaces[ListdName.adapter]?["State"] == .string(failed) {
            tell(ListdName.unescaped(path) ?? path.text)
        }
    }

    private static let failed = "failed"

    private static func tell(_ name: String) {
        Output.complain("the list “\(name)” has failed; listd's log says why")
    }
}
