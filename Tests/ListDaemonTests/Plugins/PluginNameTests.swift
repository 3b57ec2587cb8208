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
        "a name has up to 64 letters, digits, - and _ → it is valid",
        arguments: ["files", "Entry-Controller_2", "a", String(repeating: "x", count: 64)])
    func valid(name: String) {
        #expect(PluginName.isValid(name))
    }

    @Test(
        "a name is empty, is longer, or has another character → it is not valid",
        arguments: ["", ".", "..", "a/b", "a b", "ä", "a\0", "a.so", String(repeating: "x", count: 65)])
    func invalid(name: String) {
        #expect(!PluginName.isValid(name))
    }
}
