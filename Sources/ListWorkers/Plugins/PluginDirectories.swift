// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListConfiguration
@_spi(Daemon) package import ListKit
internal import ListSupport

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
        for path in candidates(for: nameOrPath) {
            if unsafe access(path, F_OK) == 0 { return try PluginFile(path: path, in: paths) }
            // Another plugin of that name, in a later directory, must not replace one that cannot be seen.
            if let reason = Self.obstacle(errno) {
                let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
                throw ListError(
                    .pluginRefused,
                    "\(path.shortenedPath) cannot be read by user \(user): check the modes of the plugin "
                        + "directories \(paths.joined(separator: ":"))", cause: reason)
            }
        }
        let directories = paths.joined(separator: ":")
        guard nameOrPath.utf8.contains(UInt8(ascii: "/")) else {
            throw ListError(
                .noSuchPlugin,
                "there is no plugin \(nameOrPath.quoted): no file of that name with .so at its end, or also lib at its "
                    + "beginning, is in \(directories)")
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

    /// Returns the text of an error other than that there is no such file; nil otherwise.
    private static func obstacle(_ number: Int32) -> String? {
        [ENOENT, ENOTDIR, ENAMETOOLONG].contains(number) ? nil : SystemError.text(number)
    }
}
