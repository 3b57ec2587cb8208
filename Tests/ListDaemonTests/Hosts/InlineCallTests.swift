// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListWorkers

@Suite("Work of a list on the event loop, and lent to jobs", .timeLimit(.minutes(1)))
@DBusActor
struct InlineCallTests {
    private let said = EventLog<RequestID>()
    private let elsewhere = Elsewhere()

    /// Whether a list has asked for the time on another thread than the loop's. Each piece of work does.
    private final class Elsewhere: Sendable {
        private let flag = Mutex(false)

        var clock: HostClock {
            HostClock(
                now: { [self] in
                    if !EventLoop.shared.isCurrent { flag.withLock { $0 = true } }
                    return HostClock.system.now()
                }, run: HostClock.system.run)
        }

        /// Returns the flag and resets it.
        func take() -> Bool {
            flag.withLock { flag in
                defer { flag = false }
                return flag
            }
        }
    }

    private func makeHost(_ count: Int) async throws -> ListHost {
        let host = ListHost(
            configuration: ListOptions(name: "x"), controllers: .builtIn,
            objects: try RestingListTests.objects(0..<count), clock: elsewhere.clock
        ) { [said] effects in
            for case .answer(let id, _) in effects { said.record(id) }
        }
        host.presentLocally()
        await host.settle()
        #expect(elsewhere.take())
        return host
    }

    private func update(_ id: RequestID, _ operation: UpdateRequest.Operation) -> AdapterCommand {
        .update(UpdateRequest(id: id, operation: operation))
    }

    @Test("commands touch few elements → the loop handles them, and has answered them")
    func few() async throws {
        let host = try await makeHost(100)
        let patch = UpdateRequest.Operation.patchObject(id: "1", set: ["n": .int64(9)], unset: [])
        for (id, command) in [
            (1, .query(1, .find(id: "3"))), (2, update(2, patch)), (3, .openView(3, 1, ListViewOptions())),
            (4, update(4, .performUpdates(objects: try RestingListTests.objects(0..<200)))),
            (5, .query(5, .objects(offset: 0, limit: .max, byteLimit: 1 << 20))),
        ] as [(RequestID, AdapterCommand)] {
            host.send(command)
            #expect(try await said.next() == id)
            #expect(!elsewhere.take(), "request \(id)")
        }
    }

    @Test("a command touches many elements, or takes long → the list is lent, and calls behind it are handled in order")
    func many() async throws {
        let host = try await makeHost(100)
        let large = update(1, .performUpdates(objects: try RestingListTests.objects(0..<20_000)))
        let commands: [(RequestID, AdapterCommand)] = [
            (1, large), (2, .query(2, .description)), (3, .configure(3, ListOptions(name: "x"), nil)),
            (4, .query(4, .items(firstSection: 0, sectionCount: 20_000, byteLimit: .max))),
        ]
        for (id, command) in commands {
            host.send(command)
            host.send(.query(id + 100, .find(id: "3")))
            let answers = [try await said.next(), try await said.next()]
            // A write takes its turn behind the calls that wait with it.
            #expect(answers == [id, id + 100] || answers == [id + 100, id], "request \(id)")
            if case .query = command { #expect(answers == [id, id + 100]) }
            await host.settle()
            #expect(elsewhere.take(), "request \(id)")
        }
    }
}
