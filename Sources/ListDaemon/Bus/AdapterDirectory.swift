// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListProtocol

/// The adapters by their names.
@DBusActor
final class AdapterDirectory {
    private var adapters: [ExactText: AdapterObject] = [:]
    /// The number of additions and removals.
    private(set) var stamp: UInt64 = 0
    /// The names of adapters that are being made or removed, each with the tasks that wait for the outcome.
    private var reserved: [ExactText: [CheckedContinuation<Void, Never>]] = [:]

    /// The names of lists in configuration files, also of those that are left out: clients cannot use them.
    private(set) var configuredNames: Set<ExactText> = []

    /// The lists that follow others of them.
    private(set) lazy var followers = FollowerDirectory { [weak self] in self?.object($0) }

    nonisolated init() {}

    /// Keeps the names of lists of configuration files, in place of those before, or besides them.
    func setConfiguredNames(_ names: some Sequence<ExactText>, keepingOthers: Bool = false) {
        configuredNames = keepingOthers ? configuredNames.union(names) : Set(names)
    }

    /// How many there are.
    var count: Int { adapters.count }

    /// All of them, sorted by name.
    var all: [AdapterObject] { adapters.values.sorted { $0.name < $1.name } }

    /// The adapter with a name; nil when there is none.
    func object(_ name: String) -> AdapterObject? { adapters[ExactText(name)] }

    /// The adapter with a name.
    ///
    /// - Throws: `noSuchAdapter`, naming it; `invalidArguments` for a name that is too long for any.
    func existing(_ name: String) throws(ListError) -> AdapterObject {
        try Self.checkLength(of: name)
        guard let adapter = adapters[ExactText(name)] else { throw Self.missing(name) }
        return adapter
    }

    /// Keeps a name for an adapter that is being made, so that nobody else takes it meanwhile.
    ///
    /// While another is being made or removed under the name, this waits: a caller that is told of an existing adapter
    /// can find it, and a caller that removes one and makes it again need not wait for the first answer.
    ///
    /// - Parameter isConfigured: whether a configuration file asks for it.
    /// - Throws: `invalidArguments` for one that is too long, `adapterExists` for one in use, or kept for a list of a
    ///   configuration file.
    func reserve(_ name: String, isConfigured: Bool) async throws(ListError) {
        try Self.checkLength(of: name)
        await settle(name)
        guard adapters[ExactText(name)] == nil else { throw Self.isTaken(name) }
        guard isConfigured || !configuredNames.contains(ExactText(name)) else {
            throw ListError(.adapterExists, "\(name.quoted) is the name of a list of a configuration file")
        }
        reserved[ExactText(name)] = []
    }

    /// Keeps the name of an adapter that is being removed, or gets another one; the first of several removals is the one.
    ///
    /// - Throws: `noSuchAdapter` when it is gone meanwhile.
    func reserve(removalOf adapter: AdapterObject) async throws(ListError) {
        // One that gets another name meanwhile is not there any more by this one.
        let name = adapter.name
        await settle(name)
        guard try existing(name) === adapter else { throw Self.missing(name) }
        reserved[ExactText(name)] = []
    }

    /// Releases a name; that of an existing adapter stays in use.
    func cancelReservation(_ name: String) {
        for waiting in reserved.removeValue(forKey: ExactText(name)) ?? [] { waiting.resume() }
    }

    /// Waits until nobody makes or removes an adapter of that name.
    private func settle(_ name: String) async {
        while reserved[ExactText(name)] != nil {
            await withCheckedContinuation { reserved[ExactText(name), default: []].append($0) }
        }
    }

    private static func checkLength(of name: String) throws(ListError) {
        guard name.utf8.count <= ObjectNames.longestName else {
            throw ListError(.invalidArguments, "name: more than \(ObjectNames.longestName) bytes")
        }
    }

    /// The error of a name that another adapter has.
    static func isTaken(_ name: String) -> ListError {
        ListError(.adapterExists, "there is an adapter \(name.quoted) already")
    }

    private static func missing(_ name: String) -> ListError {
        ListError(.noSuchAdapter, "there is no adapter \(name.quoted)")
    }

    func add(_ adapter: AdapterObject) {
        adapters[ExactText(adapter.name)] = adapter
        stamp += 1
        followers.appeared(adapter)
    }

    func remove(_ adapter: AdapterObject) {
        if adapters[ExactText(adapter.name)] === adapter { adapters[ExactText(adapter.name)] = nil }
        stamp += 1
        followers.left(adapter)
    }
}
