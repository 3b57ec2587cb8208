// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A client in another language that uses no code of this project.
@Suite("python3-dbus client", .timeLimit(.minutes(3)))
struct PythonClientTests {
    @Test(
        "random scrolls and list changes → the view's picture equals Resync after each step", .rule("VW-02"),
        arguments: [1, 2, 3])
    func scrolling(seed: Int) async throws {
        let stage = try await Stage()
        let (status, output) = try await Script("scroll.py").run([stage.bus.address, "200", "\(seed)"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("200 steps"))
        #expect(await stage.stop().status == 0)
    }
}
