internal import DBus
internal import ListKit

/// The adapters by their names.
@DBusActor
final class AdapterDirectory {
    private var adapters: [String: AdapterObject] = [:]
    private var reserved: Set<String> = []

    nonisolated init() {}

    /// How many there are.
    var count: Int { adapters.count }

    /// All of them, sorted by name.
    var all: [AdapterObject] { adapters.values.sorted { $0.name < $1.name } }

    /// The adapter with a name; nil when there is none.
    func object(_ name: String) -> AdapterObject? { adapters[name] }

    /// The adapter with a name.
    ///
    /// - Throws: `noSuchAdapter`, naming it.
    func existing(_ name: String) throws(ListError) -> AdapterObject {
        guard let adapter = adapters[name] else {
            throw ListError(.noSuchAdapter, "there is no adapter \(name.debugDescription)")
        }
        return adapter
    }

    /// Keeps a name for an adapter that is being made, so that nobody else takes it meanwhile.
    ///
    /// - Throws: `invalidArguments` for one that is too long, `adapterExists` for one in use.
    func reserve(_ name: String) throws(ListError) {
        guard name.utf8.count <= ObjectNames.longestName else {
            throw ListError(
                .invalidArguments, "name: \(name.utf8.count) bytes, more than \(ObjectNames.longestName)")
        }
        guard adapters[name] == nil, reserved.insert(name).inserted else {
            throw ListError(.adapterExists, "there is an adapter \(name.debugDescription) already")
        }
    }

    /// Gives a name free again; that of an adapter that was made meanwhile is in use all the same.
    func cancelReservation(_ name: String) { reserved.remove(name) }

    func add(_ adapter: AdapterObject) { adapters[adapter.name] = adapter }

    func remove(_ adapter: AdapterObject) {
        if adapters[adapter.name] === adapter { adapters[adapter.name] = nil }
    }
}
