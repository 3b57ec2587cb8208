// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
package import ListKit
package import PluginAPI

extension PluginManifest {
    /// The hints of the data sources that give some, by their names.
    package var hints: [String: [String: FieldHint]] {
        Dictionary(dataSources.map { ($0.name, $0.hints) }) { first, _ in first }.filter { !$0.value.isEmpty }
    }

    /// Checks names: the plugin's must be valid and its file's, those of what it brings valid and different.
    package func check(file: PluginFile) throws(ListError) {
        guard PluginName.isValid(name), name == file.pluginName else {
            throw ListError(
                .pluginRefused, "\(file.path): the plugin calls itself “\(name)”, its file “\(file.pluginName)”")
        }
        try check(sectionControllers.map(\.name), what: "section controller", file: file)
        try check(dataSources.map(\.name), what: "data source", file: file)
    }

    private func check(_ names: [String], what: String, file: PluginFile) throws(ListError) {
        var seen: Set<String> = []
        for name in names {
            guard PluginName.isValid(name) else {
                throw ListError(.pluginRefused, "\(file.path): “\(name)” cannot be the name of a \(what)")
            }
            guard seen.insert(name).inserted else {
                throw ListError(.pluginRefused, "\(file.path): two \(what)s are called “\(name)”")
            }
        }
    }
}
