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
        "a list that would come to follow itself → a circle; one that follows at two removes → none",
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

    @Test("an existing circle → the search ends")
    func circleThatIsThere() {
        let graph = FollowingGraph([("a", "b"), ("b", "a")])
        #expect(!graph.closesCircle("x", following: "a"))
        #expect(graph.closesCircle("a", following: "b"))
    }

    @Test(
        "a new name that another list already follows → a circle if the renamed list follows that list, also indirectly"
    )
    func renaming() {
        #expect(FollowingGraph([("d", "missing"), ("x", "d")]).wouldCloseCircle(renaming: "x", to: "missing"))
        #expect(
            FollowingGraph([("d", "missing"), ("x", "d"), ("y", "x")]).wouldCloseCircle(renaming: "y", to: "missing"))
        #expect(graph.wouldCloseCircle(renaming: "c", to: "b"))
        #expect(!graph.wouldCloseCircle(renaming: "a", to: "missing"))
        #expect(!graph.wouldCloseCircle(renaming: "c", to: "missing"))
        // A follower of the old name then follows no list.
        #expect(!FollowingGraph([("x", "y"), ("y", "x")]).wouldCloseCircle(renaming: "x", to: "z"))
        #expect(FollowingGraph([("x", "x")]).wouldCloseCircle(renaming: "x", to: "z") == false)
    }
}
