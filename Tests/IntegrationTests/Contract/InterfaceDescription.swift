// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// The interfaces of an introspection document, in a form that can be compared: one line of text for each member.
struct InterfaceDescription {
    /// The member lines by interface name.
    let interfaces: [String: Set<String>]
    /// The names of child nodes.
    let children: [String]

    /// Reads an introspection document.
    init(xml: String) throws {
        let document = try XMLDocument(xmlString: xml, options: [.nodeLoadExternalEntitiesNever])
        let root = document.rootElement()
        var interfaces: [String: Set<String>] = [:]
        for element in root?.elements(forName: "interface") ?? [] {
            let members = (element.children ?? []).compactMap { $0 as? XMLElement }.map(Self.describe)
            interfaces[element.attribute("name")] = Set(members)
        }
        self.interfaces = interfaces
        children = (root?.elements(forName: "node") ?? []).map { $0.attribute("name") }
    }

    /// Returns the text of the installed file of an interface.
    static func file(_ interface: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let path = "\(root)/systemd/interfaces/\(Listd.name).\(interface).xml"
        return try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    /// Returns the members in the installed file of an interface.
    static func contract(_ interface: String) throws -> Set<String> {
        try InterfaceDescription(xml: try file(interface)).interfaces[Listd.name + "." + interface] ?? []
    }

    /// Returns an interface of an introspection document as text without comments, in which only the form of white
    /// space is not kept.
    static func text(of interface: String, in xml: String) throws -> String {
        func text(_ element: XMLElement) -> String {
            let attributes = (element.attributes ?? []).map { "\($0.name ?? "")=\($0.stringValue ?? "")" }.sorted()
            let children = (element.children ?? []).compactMap { $0 as? XMLElement }.map(text)
            return "(\(element.name ?? "") \(attributes.joined(separator: " "))\n\(children.joined()))"
        }
        let document = try XMLDocument(xmlString: xml, options: [.nodeLoadExternalEntitiesNever])
        let interfaces = document.rootElement()?.elements(forName: "interface") ?? []
        return interfaces.first { $0.attribute("name") == Listd.name + "." + interface }.map(text) ?? ""
    }

    private static func describe(_ member: XMLElement) -> String {
        let arguments = member.elements(forName: "arg").map { argument in
            let direction = member.name == "signal" ? "" : argument.attribute("direction") + " "
            return "\(direction)\(argument.attribute("name")): \(argument.attribute("type"))"
        }
        let annotations = member.elements(forName: "annotation").map {
            "@\($0.attribute("name"))=\($0.attribute("value"))"
        }.filter { $0 != "@org.freedesktop.DBus.Property.EmitsChangedSignal=true" }
        let type = member.attribute("type") + member.attribute("access")
        return ([member.name ?? "", member.attribute("name"), type] + arguments + annotations.sorted())
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension XMLElement {
    /// Returns the value of an attribute, or an empty string if the element does not have the attribute.
    func attribute(_ name: String) -> String { attribute(forName: name)?.stringValue ?? "" }
}
