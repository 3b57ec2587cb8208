// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import listctl

@Suite("Creating the package of a new plugin")
struct NewPluginTests {
    @Test(
        "listd accepts a plugin name → the command for new plugins accepts it too",
        arguments: ["files", "Entry-Controller_2", "a", "2fast", "_x", String(repeating: "x", count: 64)])
    func valid(name: String) { #expect(NewPlugin.isName(name)) }

    @Test(
        "listd refuses a plugin name, or the name has no letters → the command for new plugins refuses it",
        arguments: [
            "", ".", "..", "a/b", "a b", "ä", "a\0", "a.so", "{}", String(repeating: "x", count: 65), "2", "-", "_",
        ])
    func invalid(name: String) { #expect(!NewPlugin.isName(name)) }

    @Test(
        "the template is renamed → the plugin has the given name, and its module and types have names valid in Swift",
        arguments: [
            ("greenhouse", "greenhouse", "Greenhouse"), ("my-plugin", "my_plugin", "My_plugin"),
            ("2fast", "_fast", "_fast"), ("template2", "template2", "Template2"),
            ("myTemplate", "myTemplate", "MyTemplate"),
        ])
    func renamed(name: String, module: String, type: String) {
        let text = """
            @testable import template
            name: "template", enum TemplatePlugin, "../../Sources"
            """
        #expect(
            NewPlugin.replacingPlaceholders(in: text, name: name, sdk: "/template/sdk") == """
                @testable import \(module)
                name: "\(name)", enum \(type)Plugin, "/template/sdk"
                """)
    }
}
