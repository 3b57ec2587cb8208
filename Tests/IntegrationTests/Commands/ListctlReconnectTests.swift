// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("listctl watch when the bus ends and starts again", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlReconnectTests {
    @Test(
        "the bus ends, then starts with another listd → watch prints a message for each event and reads the list again")
    func watch() async throws {
        let bus = MortalBus()
        let first = try bus.start()
        let before = try await ListdProcess.start(
            bus: bus.address, files: ["mail.list": "[List]\nDurability=memory\n"])
        let watching = try Listctl.start(bus.address, "watch", "mail")
        #expect(try await watching.lines.next(timeout: .seconds(60)).hasSuffix("revision 0  read anew, 0 objects"))
        bus.kill(first)
        let said = try await watching.lines.next(timeout: .seconds(60))
        #expect(said.hasPrefix("listctl: waiting for the bus: "))
        _ = await before.stop()
        let second = try bus.start()
        // No further message about the bus appears until listd is back.
        #expect(try await watching.lines.next(timeout: .seconds(60)) == "listctl: waiting for listd")
        let after = try await ListdProcess.start(
            bus: bus.address, files: ["mail.list": "[List]\nDurability=memory\n"])
        #expect(try await watching.lines.next(timeout: .seconds(60)).hasSuffix("revision 0  read anew, 0 objects"))
        watching.stop()
        await after.stop()
        bus.kill(second)
    }
}
