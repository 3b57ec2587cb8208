// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Which list follows which")
struct FollowingGraphTests {
    private let graph = FollowingGraph([("b", "a"), ("c", "b"), ("d", "missing"), ("é", "e")])

    @Test(
        "a list that would come to follow itself → a circle; one that follows another twice removed → none",
        .rule("FO-06"))
    func circles() {
        #expect(graph.closesCircle("a", following: "a"))
        #expect(graph.closesCircle("a", following: "c"))
        #expect(graph.closesCircle("a", following: "b"))
        #expect(!graph.closesCircle("x", following: "c"))
        #expect(!graph.closesCircle("c", following: "a"))
        #expect(graph.closesCircle("missing", following: "d"))
        #expect(!graph.closesCircle("e\u{301}", following: "e"))
    }

    @Test("a circle that is there → asking ends")
    func circleThatIsThere() {
        let graph = FollowingGraph([("a", "b"), ("b", "a")])
        #expect(!graph.closesCircle("x", following: "a"))
        #expect(graph.closesCircle("a", following: "b"))
    }

    @Test("a new name that one follows already → a circle if that is followed, by way of others or not")
    func renaming() {
        #expect(FollowingGraph([("d", "missing"), ("x", "d")]).wouldCloseCircle(renaming: "x", to: "missing"))
        #expect(
            FollowingGraph([("d", "missing"), ("x", "d"), ("y", "x")]).wouldCloseCircle(renaming: "y", to: "missing"))
        #expect(graph.wouldCloseCircle(renaming: "c", to: "b"))
        #expect(!graph.wouldCloseCircle(renaming: "a", to: "missing"))
        #expect(!graph.wouldCloseCircle(renaming: "c", to: "missing"))
        // A follower of the old name follows no list then.
        #expect(!FollowingGraph([("x", "y"), ("y", "x")]).wouldCloseCircle(renaming: "x", to: "z"))
        #expect(FollowingGraph([("x", "x")]).wouldCloseCircle(renaming: "x", to: "z") == false)
    }
}
