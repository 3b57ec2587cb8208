// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
package import ListKit
package import PluginAPI

extension PluginManifest {
    /// The hints for fields, by the name of the data source and of the field; without data sources that have none.
    package var hints: [String: [String: FieldHint]] {
        Dictionary(dataSources.map { ($0.name, $0.hints) }) { first, _ in first }.filter { !$0.value.isEmpty }
    }

    /// Checks the names in the manifest. The plugin's name must be valid and match its file. The names of section
    /// controllers and of data sources must be valid and unique.
    ///
    /// - Throws: `pluginRefused`.
    package func check(file: PluginFile) throws(ListError) {
        guard PluginName.isValid(name), name == file.pluginName else {
            throw ListError(
                .pluginRefused,
                "\(file.path.shortenedPath): the plugin is named \(name.quoted) in its manifest, but \(file.pluginName.quoted) in "
                    + "the file name")
        }
        try checkNames(sectionControllers.map(\.name), what: "section controller", file: file)
        try checkNames(dataSources.map(\.name), what: "data source", file: file)
    }

    private func checkNames(_ names: [String], what: String, file: PluginFile) throws(ListError) {
        var seen: Set<String> = []
        for name in names {
            guard PluginName.isValid(name) else {
                throw ListError(
                    .pluginRefused, "\(file.path.shortenedPath): \(name.quoted) cannot be the name of a \(what)")
            }
            guard seen.insert(name).inserted else {
                throw ListError(.pluginRefused, "\(file.path.shortenedPath): two \(what)s are called \(name.quoted)")
            }
        }
    }
}
