// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The directory of a list and what the list shows of it: the argument of `files/directory` and the plugin's settings.
struct DirectoryOptions: Equatable, Sendable {
    /// Deeper than any tree that people look through.
    static let greatestDepth = 64

    /// The directory; absolute.
    var path: String
    /// How many levels of subdirectories are listed with their entries; 0 = only the directory itself.
    var depth = 0
    /// Whether names that begin with a point are shown.
    var showsHidden = true
    /// How many entries a list may have.
    var greatestCount = 1_000_000

    var isRecursive: Bool { depth > 0 }

    /// Reads an argument.
    ///
    /// - Throws: `invalidArguments`, or a setting error, that names the part at fault.
    init(_ text: String, settings: PluginSettings) throws {
        let argument = try DataSourceArgument(text) { ["recursive", "depth", "hidden"].contains($0) }
        path = argument.subject
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments, "files/directory needs an absolute path after the ?, not “\(path)”")
        }
        if try argument.options.boolean("recursive") ?? false { depth = Self.greatestDepth }
        if let depth = try argument.options.integer("depth") {
            guard (1...Self.greatestDepth).contains(depth) else {
                throw PluginSettingError(key: "depth", value: "\(depth)", expected: "1 to \(Self.greatestDepth)")
            }
            self.depth = depth
        }
        showsHidden = try argument.options.boolean("hidden") ?? settings.boolean("ShowHidden") ?? true
        greatestCount = try Self.greatestCount(settings) ?? greatestCount
    }

    /// The setting that bounds all lists.
    static func greatestCount(_ settings: PluginSettings) throws(PluginSettingError) -> Int? {
        guard let count = try settings.integer("MaximumEntries") else { return nil }
        guard count > 0 else {
            throw PluginSettingError(key: "MaximumEntries", value: "\(count)", expected: "a number above 0")
        }
        return count
    }

    /// Whether an entry is in the list.
    func shows(_ path: EntryPath) -> Bool { (showsHidden || !path.isHidden) && path.depth <= depth }

    /// Whether the entries of a directory are in the list.
    func shows(entriesOf path: EntryPath) -> Bool { path.isRoot || path.depth < depth }
}
