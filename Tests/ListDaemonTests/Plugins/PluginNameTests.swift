// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Names of section controllers and data sources")
struct PluginNameTests {
    @Test(
        "letters, digits, - and _, up to 64 characters → a valid name",
        arguments: ["files", "Entry-Controller_2", "a", String(repeating: "x", count: 64)])
    func valid(name: String) {
        #expect(PluginName.isValid(name))
    }

    @Test(
        "an empty or longer text, or a text with another character → not a valid name",
        arguments: ["", ".", "..", "a/b", "a b", "ä", "a\0", "a.so", String(repeating: "x", count: 65)])
    func invalid(name: String) {
        #expect(!PluginName.isValid(name))
    }
}
