// SPDX-License-Identifier: Apache-2.0

import PluginAPI

@testable import files

/// A running directory source, and the list that results from its events.
struct FollowedDirectory: ~Copyable {
    private let runner: DataSourceRunner
    private let events: AsyncStream<DataSourceEvent>
    private(set) var list = NaiveList()
    private(set) var failures: [String] = []

    /// - Parameters:
    ///   - turnTime: The duration of the source's turns; 0 = each entry has a turn of its own.
    ///   - beforeEvent: Called on the source's executor before each event; it may block.
    init(
        _ path: String, settings: [String: String] = [:], turnTime: Duration = .milliseconds(100),
        beforeEvent: @escaping @Sendable () -> Void = {}
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: DataSourceEvent.self)
        events = stream
        let entry = DataSourceEntry.source("directory") { try DirectorySource($0, turnTime: turnTime) }
        let host = PluginHost(settings: PluginSettings(settings))
        runner = DataSourceRunner(entry, argument: path, host: host) {
            beforeEvent()
            continuation.yield($0)
        }
        runner.make { _ in }
        runner.start()
    }

    deinit { runner.stop() }

    /// Applies events until `isWanted` returns `true` for the list and its failures.
    mutating func wait(until isWanted: (NaiveList, [String]) -> Bool) async {
        if isWanted(list, failures) { return }
        for await event in events {
            if case .failed(let message) = event { failures.append(message) }
            list.apply(event)
            if isWanted(list, failures) { return }
        }
    }

    mutating func wait(forNames names: [String]) async { await wait { list, _ in list.names == names } }
}
