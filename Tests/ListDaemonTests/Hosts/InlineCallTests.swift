// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListWorkers

@Suite("Short calls on the event loop", .timeLimit(.minutes(1)))
@DBusActor
struct InlineCallTests {
    private struct Answer: Sendable {
        let id: RequestID
        /// The thread that reported the answer.
        let thread: UInt
    }

    private let answers = EventLog<Answer>()

    private func makeHost(_ count: Int) throws -> ListHost {
        let answers = answers
        return SectionControllerTable.builtIn.makeHost(
            configuration: ListOptions(name: "x"), objects: try RestingListTests.objects(0..<count)
        ) { effects in
            for case .answer(let id, _) in effects { answers.record(Answer(id: id, thread: UInt(pthread_self()))) }
        }
    }

    /// Sends a short call until the event loop's thread handles it itself. Returns false after 200 calls.
    private func shortCallRunsOnLoop(_ host: ListHost) async throws -> Bool {
        let loop = UInt(pthread_self())
        for id in 1_000..<1_200 as Range<RequestID> {
            host.enqueueOnLoop(.query(id, .find(id: "0")), by: nil)
            if try await answers.next().thread == loop { return true }
        }
        return false
    }

    @Test(
        "a long command was answered → short calls run on the event loop again",
        arguments: [
            "large update", "dump", "new options",
        ])
    func afterLongCommand(name: String) async throws {
        let host = try makeHost(1)
        #expect(try await shortCallRunsOnLoop(host))
        let command: AdapterCommand =
            switch name {
            case "large update":
                .update(
                    UpdateRequest(
                        id: 1, operation: .performUpdates(objects: try RestingListTests.objects(0..<20_000))))
            case "dump": .query(1, .description)
            default: .configure(1, ListOptions(name: "x"), nil)
            }
        host.enqueueOnLoop(command, by: nil)
        #expect(try await answers.next().id == 1)
        #expect(try await shortCallRunsOnLoop(host))
    }
}
