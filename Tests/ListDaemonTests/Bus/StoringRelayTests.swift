// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("StoringRelay: sends a list's writes to the store, and the store's answers to the list")
struct StoringRelayTests {
    private let heard = EventLog<String>()

    /// A list host that records the commands that it gets.
    private final class Host: ListHosting {
        private let name: String
        private let heard: EventLog<String>

        init(_ name: String, _ heard: EventLog<String>) {
            self.name = name
            self.heard = heard
        }

        func send(_ command: AdapterCommand, by user: UInt32?) {
            if case .stored(let token, nil) = command { heard.record("\(name) \(token)") }
        }

        func observeContent(with observer: ContentObserver?) {}

        func ping(_ answer: @escaping @Sendable () -> Void) { answer() }
    }

    private func makeRelay() throws -> StoringRelay {
        let adapter = StoredAdapter(name: "x", epoch: "e", owner: 0, options: try Fields([:]))
        // Without a store, every transaction is answered immediately.
        let log = Log(level: .error, sink: StandardErrorSink(prefixed: false))
        return StoringRelay(StoredList(adapter, durability: .disk, store: nil, log: log))
    }

    private let work = StoreWrite(oldestRevision: 0, revision: 0, limit: 1)

    @Test(
        "a list's new ListHost writes before it is the relay's target → only the new ListHost gets the store's answer"
    )
    @DBusActor
    func early() async throws {
        let relay = try makeRelay()
        let (old, new) = (Host("old", heard), Host("new", heard))
        relay.setTarget(old)
        // While a host is initialised, it yields effects from a thread of its own, and gets answers immediately.
        let sink = relay.sink { _ in }
        sink([.store(7, work)])
        relay.setTarget(new)
        #expect(try await heard.next(timeout: .seconds(60)) == "new 7")
    }
}
