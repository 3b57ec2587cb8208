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

    private func makeHost(_ count: Int) async throws -> RecordedHost {
        let objects = try RestingListTests.objects(0..<count)
        let host = RecordedHost({ [said] in if case .answer(let id, _) = $0 { said.record(id) } }) { store in
            ListHost(
                configuration: ListOptions(name: "x"), controllers: .builtIn, objects: objects,
                clock: elsewhere.clock, store: store)
        }
        host.host.presentLocally()
        await host.host.settle()
        #expect(elsewhere.take())
        return host
    }

    @Test("calls touch few elements → the loop handles them, and has answered them")
    func few() async throws {
        let host = try await makeHost(100)
        let patch = UpdateRequest.Operation.patchObject(id: "1", set: ["n": .int64(9)], unset: [])
        for call in [
            .read(1, .find(id: "3")), .update(2, patch), .openView(3, 1, ListViewOptions()),
            .update(4, .performUpdates(objects: try RestingListTests.objects(0..<200))),
            .read(5, .objects(offset: 0, limit: .max, byteLimit: 1 << 20)),
        ] as [HostCall] {
            host.send(call)
            #expect(try await said.next() == call.id)
            #expect(!elsewhere.take(), "\(call)")
        }
    }

    @Test("a call touches many elements, or takes long → the list is lent, and calls behind it are handled in order")
    func many() async throws {
        let host = try await makeHost(100)
        let calls: [HostCall] = [
            .update(1, .performUpdates(objects: try RestingListTests.objects(0..<20_000))),
            .read(2, .objects(offset: 0, limit: .max, byteLimit: .max)),
            .configure(3, ListOptions(name: "x"), nil),
            .read(4, .asked(.items(firstSection: 0, sectionCount: 20_000, byteLimit: .max))),
        ]
        for call in calls {
            let id = call.id
            host.send(call)
            host.send(.read(id + 100, .find(id: "3")))
            let answers = [try await said.next(), try await said.next()]
            // A write takes its turn behind the calls that wait with it.
            #expect(answers == [id, id + 100] || answers == [id + 100, id], "request \(id)")
            if case .read = call { #expect(answers == [id, id + 100]) }
            await host.host.settle()
            #expect(elsewhere.take(), "request \(id)")
        }
    }
}
