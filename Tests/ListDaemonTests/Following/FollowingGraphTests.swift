// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The graph of lists that follow other lists")
struct FollowingGraphTests {
    private let graph = FollowingGraph([("b", "a"), ("c", "b"), ("d", "missing"), ("é", "e")])

    @Test(
        "a new edge makes a list follow itself directly or indirectly → a cycle is reported",
        .rule("FO-06"))
    func circles() {
        #expect(graph.closesCycle("a", following: "a"))
        #expect(graph.closesCycle("a", following: "c"))
        #expect(graph.closesCycle("a", following: "b"))
        #expect(!graph.closesCycle("x", following: "c"))
        #expect(!graph.closesCycle("c", following: "a"))
        #expect(graph.closesCycle("missing", following: "d"))
        #expect(!graph.closesCycle("e\u{301}", following: "e"))
    }

    @Test("the graph already has a cycle → the search terminates")
    func circleThatIsThere() {
        let graph = FollowingGraph([("a", "b"), ("b", "a")])
        #expect(!graph.closesCycle("x", following: "a"))
        #expect(graph.closesCycle("a", following: "b"))
    }

    @Test(
        "a list gets a name that another list follows → a cycle is reported if the renamed list follows that other list"
    )
    func renaming() {
        #expect(FollowingGraph([("d", "missing"), ("x", "d")]).wouldCloseCycle(renaming: "x", to: "missing"))
        #expect(
            FollowingGraph([("d", "missing"), ("x", "d"), ("y", "x")]).wouldCloseCycle(renaming: "y", to: "missing"))
        #expect(graph.wouldCloseCycle(renaming: "c", to: "b"))
        #expect(!graph.wouldCloseCycle(renaming: "a", to: "missing"))
        #expect(!graph.wouldCloseCycle(renaming: "c", to: "missing"))
        // After the rename, a follower of the old name follows no list.
        #expect(!FollowingGraph([("x", "y"), ("y", "x")]).wouldCloseCycle(renaming: "x", to: "z"))
        #expect(FollowingGraph([("x", "x")]).wouldCloseCycle(renaming: "x", to: "z") == false)
    }
}
