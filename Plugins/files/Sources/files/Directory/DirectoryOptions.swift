// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The options of a list: its directory and which entries it shows. They come from the argument of
/// `files/directory` and from the plugin's settings.
struct DirectoryOptions: Equatable, Sendable {
    /// The maximum of the option `depth`, deeper than any tree that people browse; `recursive` stands for it.
    static let maximumDepth = 64

    /// The absolute path of the directory.
    var path: String
    /// The number of levels of subdirectories whose entries are listed; 0 = only the directory itself.
    var depth = 0
    /// Whether entries whose name begins with a dot are shown.
    var showsHidden = true
    /// The maximum number of entries of a list.
    var maximumCount = 1_000_000

    var isRecursive: Bool { depth > 0 }

    /// Reads an argument.
    ///
    /// - Throws: `invalidArguments` or a setting error, which names the part at fault.
    init(_ text: String, settings: PluginSettings) throws {
        let argument = try DataSourceArgument(text) { ["recursive", "depth", "hidden"].contains($0) }
        path = argument.subject
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ListError(
                .invalidArguments, "files/directory needs an absolute path after the \"?\", not \(path.shortenedPath)")
        }
        if try argument.options.boolean("recursive") ?? false { depth = Self.maximumDepth }
        if let depth = try argument.options.integer("depth") {
            guard (1...Self.maximumDepth).contains(depth) else {
                throw PluginSettingError(key: "depth", value: "\(depth)", expected: "1 to \(Self.maximumDepth)")
            }
            self.depth = depth
        }
        showsHidden = try argument.options.boolean("hidden") ?? settings.boolean("ShowHidden") ?? true
        maximumCount = try Self.maximumCount(in: settings) ?? maximumCount
    }

    /// Returns the setting `MaximumEntries`, which limits the number of entries of each list.
    static func maximumCount(in settings: PluginSettings) throws(PluginSettingError) -> Int? {
        guard let count = try settings.integer("MaximumEntries") else { return nil }
        guard count > 0 else {
            throw PluginSettingError(key: "MaximumEntries", value: "\(count)", expected: "a number above 0")
        }
        return count
    }

    /// Returns whether the list shows an entry.
    func shows(_ path: EntryPath) -> Bool { (showsHidden || !path.isHidden) && path.depth <= depth }

    /// Returns whether the list shows the entries of a directory.
    func shows(entriesOf path: EntryPath) -> Bool { path.isRoot || path.depth < depth }
}
