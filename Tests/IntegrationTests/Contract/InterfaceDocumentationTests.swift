// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import TestSupport
import Testing

/// Checks that the interface files document all their members, in comments that gdbus-codegen turns into documents.
@Suite("Documentation in the interface files")
struct InterfaceDocumentationTests {
    /// A comment as gdbus-codegen reads it: `SYMBOL:`, a line `@ARGUMENT: TEXT` for each argument, then the text.
    private struct Comment {
        var symbol = ""
        var arguments: [String: String] = [:]
        var text = ""

        init(_ node: XMLNode) {
            let lines = (node.stringValue ?? "").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let first = lines.first(where: { !$0.isEmpty }), first.hasSuffix(":") else { return }
            symbol = String(first.dropLast())
            for line in lines.drop(while: { $0.isEmpty }).dropFirst() {
                if text.isEmpty, line.hasPrefix("@"), let colon = line.range(of: ": ") {
                    arguments[String(line[..<colon.lowerBound].dropFirst())] = String(line[colon.upperBound...])
                } else {
                    text += line
                }
            }
        }
    }

    /// Returns a line of text for each undocumented element below a node.
    private func gaps(in parent: XMLNode, _ kinds: Set<String>) -> [String] {
        var comment: Comment?
        var gaps: [String] = []
        for child in parent.children ?? [] {
            if child.kind == .comment { comment = Comment(child) }
            guard let element = child as? XMLElement, let kind = element.name, kinds.contains(kind) else { continue }
            let name = element.attribute("name")
            let arguments = element.elements(forName: "arg").map { $0.attribute("name") }
            if comment?.symbol != name || comment?.text.isEmpty != false { gaps.append("\(kind) \(name)") }
            gaps += arguments.filter { comment?.arguments[$0, default: ""].isEmpty != false }.map { "\(name) \($0)" }
            let known = Set(arguments + ["short_description"])
            gaps += (comment?.arguments.keys.filter { !known.contains($0) } ?? []).map { "\(name) has no \($0)" }
            comment = nil
        }
        return gaps
    }

    @Test(
        "an interface file → every composite type has a name for QtDBus, every descriptor a mark for GDBus",
        .rule("NA-10"), arguments: ["Adapter", "Manager", "Plugin", "View"])
    func annotations(interface: String) throws {
        let node = try #require(
            try XMLDocument(xmlString: InterfaceDescription.file(interface), options: []).rootElement())
        let element = try #require(node.elements(forName: "interface").first)
        func isComposite(_ type: String) -> Bool {
            "a(".contains(type.prefix(1)) && !["as", "ay", "ao", "av"].contains(type)
        }
        let qt = "org.qtproject.QtDBus.QtTypeName"
        for member in (element.children ?? []).compactMap({ $0 as? XMLElement }) {
            let name = member.attribute("name")
            let given = Set(member.elements(forName: "annotation").map { $0.attribute("name") })
            let arguments = member.elements(forName: "arg")
            let (inputs, outputs) = (
                arguments.filter { $0.attribute("direction") == "in" },
                arguments.filter { $0.attribute("direction") != "in" }
            )
            var wanted: [String] = isComposite(member.attribute("type")) ? [qt] : []
            for (direction, list) in [("In", inputs), ("Out", outputs)] {
                for (index, argument) in list.enumerated() where isComposite(argument.attribute("type")) {
                    wanted.append("\(qt).\(direction)\(index)")
                }
            }
            if member.name == "method", arguments.contains(where: { $0.attribute("type") == "h" }) {
                wanted.append("org.gtk.GDBus.C.UnixFD")
            }
            #expect(given.filter { $0.hasPrefix(qt) || $0.hasPrefix("org.gtk") } == Set(wanted), "\(name)")
        }
    }

    @Test(
        "an interface file → every interface, member and argument has documentation",
        arguments: ["Adapter", "Manager", "Plugin", "View"])
    func complete(interface: String) throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let file = URL(fileURLWithPath: "\(root)/systemd/interfaces/org.listd.Listd1.\(interface).xml")
        let node = try #require(try XMLDocument(contentsOf: file, options: []).rootElement())
        #expect(gaps(in: node, ["interface"]) == [])
        let element = try #require(node.elements(forName: "interface").first)
        #expect(gaps(in: element, ["method", "signal", "property"]) == [])
    }
}
