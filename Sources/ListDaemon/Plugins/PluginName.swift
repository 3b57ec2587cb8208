/// The name of a plugin, and of a thing that it brings.
package enum PluginName {
    /// Whether a text can be a name: letters, digits, `-` and `_`, at least one and at most 64.
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Something that a plugin brings, as `PLUGIN/NAME` in options and configuration.
package struct PluginReference: Sendable, Hashable {
    /// The plugin.
    package let plugin: String
    /// The section controller or the data source.
    package let name: String

    /// Names something.
    package init(plugin: String, name: String) {
        self.plugin = plugin
        self.name = name
    }

    /// Reads `PLUGIN/NAME`; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2, parts.allSatisfy(PluginName.isValid) else { return nil }
        self.init(plugin: parts[0], name: parts[1])
    }

    /// The text that the reference was read from.
    package var text: String { "\(plugin)/\(name)" }
}

/// A list's source that a plugin provides: `PLUGIN/SOURCE?argument`.
package struct PluginSourceReference: Sendable, Hashable {
    /// The data source.
    package let source: PluginReference
    /// What follows the first `?`, as written; empty without one.
    package let argument: String

    /// Reads `PLUGIN/SOURCE` or `PLUGIN/SOURCE?argument`; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let source = PluginReference(first) else { return nil }
        self.source = source
        argument = parts.count == 2 ? String(parts[1]) : ""
    }
}
