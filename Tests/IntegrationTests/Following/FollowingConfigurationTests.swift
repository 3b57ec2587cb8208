// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Configured and stored lists that follow other lists.
@Suite("Configured lists that follow other lists", .timeLimit(.minutes(3)))
@DBusActor
struct FollowingConfigurationTests {
    private func write(_ stage: Stage, _ name: String, _ text: String?) throws {
        let file = stage.listd.directory.appending(path: "config/\(name).list")
        if let text {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test(
        "the followed list is missing → the follower is empty and has a SourceError until the list is created"
    )
    func missing() async throws {
        let stage = try await Stage(files: ["found.list": "[List]\nSource=list:base?limit=2\n"])
        let found = try stage.list("found")
        #expect(try await found.by(stage.client).property("State", as: String.self) == "failed")
        #expect(try await found.sourceError.contains("base"))
        try await stage.createAdapter("base").fill(3)
        try await found.wait(forCount: 2)
        let epoch = try await found.by(stage.client).property("Epoch", as: String.self)
        // A new argument is applied to the existing list. A new base list makes listd create the follower again.
        try write(stage, "found", "[List]\nSource=list:base?limit=1\n")
        try await stage.manager.call("Reload")
        try await found.wait(forCount: 1)
        #expect(try await found.by(stage.client).property("Epoch", as: String.self) == epoch)
        #expect(try await found.by(stage.client).property("Source", as: String.self) == "list:base?limit=1")
        try write(stage, "found", "[List]\nSource=list:elsewhere\n")
        try await stage.manager.call("Reload")
        try await found.wait(until: "failed")
        #expect(try await found.objects().rows.isEmpty)
        #expect(try await found.by(stage.client).property("Epoch", as: String.self) != epoch)
        await stage.stop()
    }

    @Test(
        "a reload adds a list that closes a cycle of following lists → the list is left out and reported with its line")
    func circle() async throws {
        let stage = try await Stage(files: ["a.list": "[List]\nSource=list:b\n", "b.list": "[List]\nSource=list:c\n"])
        try write(stage, "c", "[List]\nSource=list:a\n")
        let error = await stage.error { try await stage.manager.call("Reload") }
        #expect(error?.name == Listd.error("ReloadIncomplete"))
        #expect(error?.message.contains("c.list:2") == true)
        #expect(try await stage.manager.property("AdapterCount", as: UInt32.self) == 2)
        try write(stage, "c", "[List]\nTransient=yes\n")
        let transient = await stage.error { try await stage.manager.call("Reload") }
        #expect(transient?.message.contains("Transient") == true)
        try write(stage, "c", "[List]\nDescription=x\n")
        try await stage.manager.call("Reload")
        try await stage.list("c").fill(4)
        try await stage.list("a").wait(forCount: 4)
        await stage.stop()
    }
}
