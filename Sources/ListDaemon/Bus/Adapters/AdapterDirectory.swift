// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListProtocol

/// The adapters by name.
@DBusActor
final class AdapterDirectory {
    private var adapters: [ExactText: AdapterObject] = [:]
    /// The number of additions and removals so far.
    private(set) var stamp: UInt64 = 0
    /// The names of adapters that are being made, renamed or removed, each with the tasks that wait for the outcome.
    private var reserved: [ExactText: [CheckedContinuation<Void, Never>]] = [:]

    /// The names of lists in configuration files, including lists that are left out. Clients cannot use these names.
    private(set) var configuredNames: Set<ExactText> = []

    /// The lists that follow others.
    private(set) lazy var followers = FollowerDirectory { [weak self] in self?.object(named: $0) }

    nonisolated init() {}

    /// Replaces the names of lists in configuration files, or adds to them.
    func setConfiguredNames(_ names: some Sequence<ExactText>, keepingOthers: Bool = false) {
        configuredNames = keepingOthers ? configuredNames.union(names) : Set(names)
    }

    /// The number of adapters.
    var count: Int { adapters.count }

    /// All adapters, sorted by name.
    var all: [AdapterObject] { adapters.values.sorted { $0.name < $1.name } }

    /// Returns the adapter with a name; nil if there is none.
    func object(named name: String) -> AdapterObject? { adapters[ExactText(name)] }

    /// Returns the adapter with a name.
    ///
    /// - Throws: `noSuchAdapter`, with the name; `invalidArguments` for a name that is too long.
    func existingObject(named name: String) throws(ListError) -> AdapterObject {
        try Self.checkLength(of: name)
        guard let adapter = adapters[ExactText(name)] else { throw Self.noSuchAdapterError(name) }
        return adapter
    }

    /// Reserves a name for an adapter that is being made.
    ///
    /// While another adapter is being made or removed under the name, this function waits. So a caller that gets
    /// `adapterExists` can find the existing adapter, and a caller that removes an adapter and makes it again need not
    /// wait for the answer to the removal.
    ///
    /// - Parameter isConfigured: whether the adapter comes from a configuration file.
    /// - Throws: `invalidArguments` for a name that is empty or too long; `adapterExists` for a name that is in use or
    ///   reserved for a list of a configuration file.
    func reserve(_ name: String, isConfigured: Bool) async throws(ListError) {
        try Self.checkLength(of: name)
        guard !name.isEmpty else { throw ListError(.invalidArguments, "name: the name is empty") }
        await awaitReservation(of: name)
        guard adapters[ExactText(name)] == nil else { throw Self.nameTakenError(name) }
        guard isConfigured || !configuredNames.contains(ExactText(name)) else {
            throw ListError(.adapterExists, "\(name.quoted) is reserved for a list of a configuration file")
        }
        reserved[ExactText(name)] = []
    }

    /// Reserves the name of an adapter that is being removed or renamed. Of several removals, only the first
    /// succeeds.
    ///
    /// - Throws: `noSuchAdapter` if the adapter was removed in between.
    func reserve(removalOf adapter: AdapterObject) async throws(ListError) {
        // If the adapter is renamed in between, it cannot be found under this name any more.
        let name = adapter.name
        await awaitReservation(of: name)
        guard try existingObject(named: name) === adapter else { throw Self.noSuchAdapterError(name) }
        reserved[ExactText(name)] = []
    }

    /// Cancels the reservation of a name; an existing adapter keeps its name.
    func cancelReservation(_ name: String) {
        for waiting in reserved.removeValue(forKey: ExactText(name)) ?? [] { waiting.resume() }
    }

    /// Waits until no adapter with the name is being made or removed.
    private func awaitReservation(of name: String) async {
        while reserved[ExactText(name)] != nil {
            await withCheckedContinuation { reserved[ExactText(name), default: []].append($0) }
        }
    }

    private static func checkLength(of name: String) throws(ListError) {
        guard name.utf8.count <= ObjectNames.longestName else {
            throw ListError(.invalidArguments, "name: the name is longer than \(ObjectNames.longestName) bytes")
        }
    }

    /// Returns the error for a name that another adapter has.
    static func nameTakenError(_ name: String) -> ListError {
        ListError(.adapterExists, "adapter \(name.quoted) already exists")
    }

    private static func noSuchAdapterError(_ name: String) -> ListError {
        ListError(.noSuchAdapter, "there is no adapter \(name.quoted)")
    }

    func add(_ adapter: AdapterObject) {
        adapters[ExactText(adapter.name)] = adapter
        stamp += 1
        followers.handleAppearance(of: adapter)
    }

    func remove(_ adapter: AdapterObject) {
        if adapters[ExactText(adapter.name)] === adapter { adapters[ExactText(adapter.name)] = nil }
        stamp += 1
        followers.handleDisappearance(of: adapter)
    }
}
