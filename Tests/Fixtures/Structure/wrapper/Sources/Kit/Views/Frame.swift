// SPDX-License-Identifier: Apache-2.0

struct Edge {
    static let all = [Edge()]
    let width: Int
}

struct Frame {
    let edge: Edge
    var width: Int { edge.width }
}

final class Border {
    private var edge = Edge(width: 1)
}

/// What is public may hold what it likes, and a conformance is a reason.
public struct Outline {
    private let edge: Edge
}

struct Sketch: Sendable {
    let edge: Edge
}

struct Corner {
    let first: Edge, second: Edge
}
