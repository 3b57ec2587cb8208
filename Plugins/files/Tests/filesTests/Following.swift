// SPDX-License-Identifier: Apache-2.0

import PluginAPI

@testable import files

/// A directory source over a scratch directory, and the list that its events make.
struct Following: ~Copyable {
    private let runner: DataSourceRunner
    private let events: AsyncStream<DataSourceEvent>
    private(set) var list = NaiveList()
    private(set) var failures: [String] = []

    /// - Parameters:
    ///   - turnTime: how long everything is read in one turn; 0 = each entry has a turn of its own.
    ///   - beforeEvent: called on the source's executor before an event is taken; it may wait.
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

    /// Takes events until the list is as wanted.
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
