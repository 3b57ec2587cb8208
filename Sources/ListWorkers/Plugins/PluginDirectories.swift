// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListConfiguration
@_spi(Daemon) package import ListKit

/// The directories in which plugins are searched, in order.
package struct PluginDirectories: Sendable, Hashable {
    /// The paths of the directories.
    package let paths: [String]

    package init(_ paths: [String]) {
        self.paths = paths
    }

    /// Finds a plugin by its name, or by a path to its file within the directories.
    ///
    /// A name is searched as `NAME.so` and `libNAME.so`, in the order of the directories. A relative path is relative
    /// to a plugin directory.
    ///
    /// - Throws: `noSuchPlugin`, or `pluginRefused` for a file that must not be loaded. The message says what to do.
    package func find(_ nameOrPath: String) throws(ListError) -> PluginFile {
        guard !nameOrPath.isEmpty, !nameOrPath.utf8.contains(0) else {
            throw ListError(.noSuchPlugin, "the name of the plugin is empty, or has a NUL in it")
        }
        for path in candidates(for: nameOrPath) where exists(path) {
            return try PluginFile(path: path, in: paths)
        }
        let directories = paths.joined(separator: ":")
        guard nameOrPath.utf8.contains(UInt8(ascii: "/")) else {
            let file = String(nameOrPath.unicodeScalars.prefix(64))
            throw ListError(
                .noSuchPlugin,
                "there is no plugin \(nameOrPath.quoted), because there is no \(file).so or "
                    + "lib\(file).so in \(directories)")
        }
        let name = PluginFile.pluginName(ofFile: nameOrPath)
        throw ListError(
            .noSuchPlugin,
            "there is no file \(nameOrPath.quoted); a plugin is loaded by its name, \(name.quoted), "
                + "from \(directories)")
    }

    private func candidates(for nameOrPath: String) -> [String] {
        if nameOrPath.hasPrefix("/") { return [nameOrPath] }
        if PluginName.isValid(nameOrPath) {
            return paths.flatMap { ["\($0)/\(nameOrPath).so", "\($0)/lib\(nameOrPath).so"] }
        }
        return paths.map { "\($0)/\(nameOrPath)" }
    }

    private func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
