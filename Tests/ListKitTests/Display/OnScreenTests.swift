// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

@Suite("Views that are not on the screen")
struct OnScreenTests {
    private func list() throws -> TestHost {
        let list = TestHost(try ViewTests.ids(0..<5)) {
            $0.coalescing = ListAdapter.Coalescing(
                minimum: 10, maximum: 500, increment: 10, usesMaximumWhenNotVisible: true)
        }
        list.now = 10_000
        return list
    }

    private func timing(_ list: TestHost) throws -> FlushTiming {
        list.enqueue(.patchObject(id: "o1", set: ["n": .int64(Int64(list.now))], unset: []))
        defer {
            list.flush()
            list.now += 10_000
        }
        return list.adapter.flushTiming
    }

    @Test(
        "all views of a list are off the screen → updates wait for the maximum interval")
    func waiting() throws {
        let list = try list()
        #expect(try timing(list) == .now)
        _ = try list.open(1)
        _ = try list.open(2)
        try list.adapter.setVisible(false, view: 1)
        #expect(try timing(list) == .now)
        try list.adapter.setVisible(false, view: 2)
        #expect(try timing(list) == .at(list.now - 10_000 + 500))
        try list.adapter.setVisible(true, view: 1)
        #expect(try timing(list) == .now)
        try list.adapter.setVisible(false, view: 1)
        _ = (try list.adapter.closeView(1), try list.adapter.closeView(2))
        #expect(try timing(list) == .now)
        #expect(throws: ListError.self) { try list.adapter.setVisible(false, view: 1) }
    }

    @Test("a view that is off the screen is resumed in another engine → it is still off the screen")
    func resumed() throws {
        let old = try list()
        _ = try old.open(1)
        try old.adapter.setVisible(false, view: 1)
        let new = try list()
        _ = try new.adapter.resumeView(try old.adapter.resumption(of: 1))
        #expect(try timing(new) == .at(new.now - 10_000 + 500))
    }
}
