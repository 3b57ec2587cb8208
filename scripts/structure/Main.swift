// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program `check-structure [--report | --edges] [ROOT]`; see scripts/check-structure.
@main
struct Main {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var isReport = false, isEdges = false
        while let first = arguments.first, first.hasPrefix("--") {
            switch arguments.removeFirst() {
            case "--report": isReport = true
            case "--edges": isEdges = true
            default: fail("usage: check-structure [--report | --edges] [ROOT]")
            }
        }
        guard arguments.count < 2 else { fail("usage: check-structure [--report | --edges] [ROOT]") }
        let tree = Tree(root: arguments.first ?? ".")
        do {
            let modules = Modules(try tree.read())
            guard !modules.files.isEmpty else {
                fail("check-structure: \(tree.root) has no Swift file in Sources or Plugins")
            }
            if isEdges {
                printEdges(modules)
            } else {
                exit(printFindings(about: modules, in: tree, isReport: isReport) ? 0 : 1)
            }
        } catch {
            fail("check-structure: \(error)")
        }
    }

    /// Prints the findings. Returns whether there are none, or only a report was requested.
    private static func printFindings(about modules: Modules, in tree: Tree, isReport: Bool) -> Bool {
        let exceptions = Exceptions(tree.text(of: Tree.exceptions), path: Tree.exceptions)
        var used: Set<String> = []
        var findings = StateRule(modules: modules).findings() + ConceptRules(modules: modules).findings()
        findings += QuotingRule(modules: modules).findings()
        for module in modules.names where modules.isShipped(module) {
            findings += CircleRule(modules, module: module).findings(without: exceptions.keys, used: &used)
        }
        findings += tree.missingFolders()
        findings = exceptions.apply(to: findings, used: used)
        findings.sort { ($0.path, $0.line, $0.message) < ($1.path, $1.line, $1.message) }
        for finding in findings {
            print(finding.text)
        }
        if findings.isEmpty {
            print(
                "structure: \(modules.files.count { $0.isShipped }) files of "
                    + "\(modules.names.count { modules.isShipped($0) }) modules in order")
        } else if isReport {
            let counts = Dictionary(grouping: findings, by: \.rule).mapValues(\.count).sorted { $0.key < $1.key }
            print(
                "structure: \(findings.count) findings: "
                    + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        }
        return findings.isEmpty || isReport
    }

    private static func printEdges(_ modules: Modules) {
        for module in modules.names where modules.isShipped(module) {
            for (edge, use) in CircleRule(modules, module: module).edges.sorted(by: { $0.key < $1.key }) {
                print("\(module): \(edge.from) -> \(edge.to): \(use.summary)")
            }
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(2)
    }
}

/// The files of a checkout.
struct Tree {
    static let exceptions = "scripts/structure/exceptions", folders = "scripts/structure/folders"

    let root: String

    /// Reads every Swift file of all modules, in the order of their paths. A module is a folder in Sources,
    /// Plugins/NAME/Sources or Tests. The modules of tests only count as users of the others.
    func read() throws -> [SourceFile] {
        var homes = children(of: "Sources")
        for plugin in children(of: "Plugins") {
            homes += children(of: "\(plugin)/Sources")
        }
        homes += children(of: "Tests").filter { !$0.hasSuffix("/Fixtures") }
        return try homes.flatMap { home in
            try swiftFiles(in: home).map { path in
                let inside = path.dropFirst(home.utf8.count + 1).split(separator: "/")
                return Collector.read(
                    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8), path: path,
                    module: String(home.split(separator: "/").last ?? ""),
                    folder: inside.count > 1 ? String(inside[0]) : ".")
            }
        }
    }

    /// Returns the text of a file; empty when the file does not exist.
    func text(of path: String) -> String {
        (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)) ?? ""
    }

    /// Returns a finding for each folder that scripts/structure/folders lists but the checkout lacks.
    func missingFolders() -> [Finding] {
        text(of: Self.folders).split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            guard let first = line.first, first != "#", swiftFiles(in: String(line)).isEmpty else { return nil }
            return Finding(
                path: Self.folders, line: index + 1, key: "folder \(line)",
                message: "the folder \(line) has no Swift file; add the code that ARCHITECTURE.md describes for it, or "
                    + "remove the folder from ARCHITECTURE.md and this file")
        }
    }

    private func children(of folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    private func swiftFiles(in folder: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
        return found.filter { path in
            path.hasSuffix(".swift") && !path.hasSuffix("Package.swift")
                && !path.split(separator: "/").contains { $0 == ".build" || $0.hasSuffix(".docc") }
                && (folder.hasPrefix("Tests/") || !path.split(separator: "/").contains("Tests"))
        }.sorted().map { "\(folder)/\($0)" }
    }
}
