// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// Introspection data as parsed by Foundation's XML reader.
struct Introspected {
    private(set) var interfaces: [String] = []
    private(set) var children: [String] = []
    private var memberTexts: [String: [String]] = [:]

    init(_ xml: String) throws {
        let document = try XMLDocument(xmlString: xml)
        for case let node as XMLElement in document.rootElement()?.children ?? [] {
            let name = node.attribute(forName: "name")?.stringValue ?? ""
            if node.name == "node" { children.append(name) }
            guard node.name == "interface" else { continue }
            interfaces.append(name)
            memberTexts[name] = (node.children ?? []).compactMap { ($0 as? XMLElement).map(Self.describe) }
        }
    }

    /// Returns one line of text for each member, in order.
    func members(of interface: String) -> [String] { memberTexts[interface] ?? [] }

    private static func describe(_ member: XMLElement) -> String {
        func attribute(_ name: String, of element: XMLElement) -> String? {
            element.attribute(forName: name)?.stringValue
        }
        let name = attribute("name", of: member) ?? ""
        let elements = (member.children ?? []).compactMap { $0 as? XMLElement }
        let notes = elements.filter { $0.name == "annotation" }.compactMap { attribute("value", of: $0) }
        guard member.name != "property" else {
            let parts = [name, attribute("type", of: member), attribute("access", of: member)].compactMap(\.self)
            return (["property"] + parts + notes).joined(separator: " ")
        }
        let arguments = elements.filter { $0.name == "arg" }.map { argument in
            ["name", "type", "direction"].compactMap { attribute($0, of: argument) }.joined(separator: ":")
        }
        return "\(member.name ?? "") \(name)(\(arguments.joined(separator: " ")))"
            + notes.map { " " + $0 }.joined()
    }
}
