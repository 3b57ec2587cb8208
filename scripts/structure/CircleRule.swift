// SPDX-License-Identifier: Apache-2.0

/// The rule that folders of a module use each other's types in one direction only.
struct CircleRule {
    struct Edge: Hashable, Comparable {
        let from: String, to: String

        static func < (one: Edge, other: Edge) -> Bool { (one.from, one.to) < (other.from, other.to) }
    }

    struct Use {
        /// The files that name a type, by the name of the type.
        var files: [String: Set<String>] = [:]
        var firstPath = "", firstLine = 0

        /// The most used types with their numbers of uses, such as `ListView (3)`.
        var summary: String {
            files.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(5)
                .map { "\($0.key) (\($0.value.count))" }.joined(separator: ", ")
        }

        var count: Int { files.values.reduce(0) { $0 + $1.count } }
    }

    let module: String
    let edges: [Edge: Use]

    init(_ modules: Modules, module: String) {
        self.module = module
        var edges: [Edge: Use] = [:]
        for (index, file) in modules.files.enumerated() where file.module == module {
            for use in file.uses {
                for found in modules.resolve(use.components, scope: use.scope, in: module, from: index) {
                    let home = modules.files[found.file]
                    guard home.folder != file.folder else { continue }
                    let edge = Edge(from: file.folder, to: home.folder)
                    if edges[edge] == nil {
                        edges[edge] = Use(firstPath: file.path, firstLine: use.line)
                    }
                    edges[edge]?.files[modules.declaration(found).name, default: []].insert(file.path)
                }
            }
        }
        self.edges = edges
    }

    static func key(of edge: Edge, in module: String) -> String { "circle \(module) \(edge.from) -> \(edge.to)" }

    /// Returns a finding for each group of folders that use each other in a circle.
    ///
    /// - Parameters:
    ///   - exceptions: the keys of the edges to leave out.
    ///   - used: gets the keys of those left-out edges that would be part of a circle.
    func findings(without exceptions: Set<String>, used: inout Set<String>) -> [Finding] {
        let excepted = edges.keys.filter { exceptions.contains(Self.key(of: $0, in: module)) }
        let kept = Set(edges.keys).subtracting(excepted)
        for edge in excepted
        where circles(in: kept.union([edge])).contains(where: { $0.contains(edge.from) && $0.contains(edge.to) }) {
            used.insert(Self.key(of: edge, in: module))
        }
        return circles(in: kept).compactMap { circle in
            let inside = kept.filter { circle.contains($0.from) && circle.contains($0.to) }.sorted()
            // The finding names the edge with the fewest uses, which is the easiest to remove.
            guard let weakest = inside.min(by: { useCount(of: $0) < useCount(of: $1) }), let use = edges[weakest] else {
                return nil
            }
            return Finding(
                path: use.firstPath, line: use.firstLine, key: Self.key(of: weakest, in: module),
                message:
                    "\(module): folders use each other in a circle: \(circle.sorted().joined(separator: ", ")); move a type "
                    + "to the folder that the others depend on, or reverse a use with a protocol or a closure",
                notes: inside.compactMap { edge in
                    edges[edge].map {
                        "\(edge.from) -> \(edge.to): \($0.summary), first at \($0.firstPath):\($0.firstLine)"
                    }
                })
        }
    }

    private func useCount(of edge: Edge) -> Int { edges[edge]?.count ?? 0 }

    /// Returns the groups of folders in which every folder reaches every other one.
    private func circles(in edges: Set<Edge>) -> [Set<String>] {
        let next = Dictionary(grouping: edges, by: \.from).mapValues { $0.map(\.to) }
        var reached: [String: Set<String>] = [:]
        for folder in next.keys {
            var seen: Set<String> = [], waiting = next[folder] ?? []
            while let other = waiting.popLast() {
                if seen.insert(other).inserted {
                    waiting += next[other] ?? []
                }
            }
            reached[folder] = seen
        }
        let inCircle = reached.filter { $1.contains($0) }
        return Array(Set(inCircle.map { folder, seen in seen.filter { reached[$0]?.contains(folder) == true } }))
            .sorted { ($0.min() ?? "") < ($1.min() ?? "") }
    }
}
