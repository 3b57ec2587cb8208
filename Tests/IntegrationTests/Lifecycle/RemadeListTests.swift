// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import ListClient
import TestSupport
import Testing

@Suite("Lists that a reload recreates or removes")
@DBusActor
struct RemadeListTests {
    private func follower(patience: Duration, _ events: EventLog<String>) -> ListFollower {
        ListFollower(name: "a", patience: patience) { event in
            switch event {
            case .changed(let changes): events.record("\(changes.map { "\($0)" })")
            case .failed(let error): events.record(error.description)
            case .removed: events.record("removed")
            }
        }
    }

    @Test(
        "a reload recreates a list → followers get its new objects; a reload removes the list → followers report that"
    )
    func otherSource() async throws {
        let stage = try await Stage(files: ["a.list": "[List]\nDescription=filled by clients\n"])
        let list = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/a")
        _ = try await list.performUpdates([Row("pushed", "", [:])])
        let events = EventLog<String>()
        // The follower waits for the recreated list, however long the reload takes.
        let follower = follower(patience: .seconds(600), events)
        await follower.attach(to: ListDaemonClient(connection: stage.client))
        #expect(try await events.next() == "[\"replaced(count: 1)\"]")

        let directory = stage.listd.directory
        let rows = directory.appending(path: "rows.jsonl")
        try "{\"id\": \"x\"}\n{\"id\": \"y\"}\n".write(to: rows, atomically: true, encoding: .utf8)
        let file = directory.appending(path: "config/a.list")
        try "[List]\nSource=jsonl:\(rows.path)\n".write(to: file, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
        // The rows of the file arrive together with the list or a moment later.
        while follower.mirror.objects.map({ $0?.id }) != ["x", "y"] {
            let event = try await events.next()
            #expect(event.contains("replaced") || event.contains("inserted"))
        }
        follower.detach()

        let later = EventLog<String>()
        let impatient = self.follower(patience: .milliseconds(20), later)
        await impatient.attach(to: ListDaemonClient(connection: stage.client))
        try FileManager.default.removeItem(at: file)
        try await stage.manager.call("Reload")
        #expect(try await later.next { $0 == "removed" } == "removed")
        await stage.stop()
    }
}
