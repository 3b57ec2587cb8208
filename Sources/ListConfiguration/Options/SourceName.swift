// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
package import ListSources

/// The source of a list's objects: the adapter option `source`.
package enum SourceName: Sendable, Hashable {
    /// Clients write the list.
    case push
    /// A source that is part of listd. The argument is the text after the colon.
    case builtIn(BuiltInSource, argument: String)
    /// Another list, which is followed. The argument is the text after the `?` as given, or empty.
    case list(String, argument: String)
    /// A data source of a plugin. The argument is the text after the `?`, or empty.
    case plugin(String, source: String, argument: String)

    /// Parses `push`, `SCHEME:argument`, `list:NAME?argument` or `PLUGIN/SOURCE?argument`; nil for any other text.
    ///
    /// The argument of a list is not validated here, but by ``checkArgument()``.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        if text == "push" {
            self = .push
        } else if let kind = BuiltInSource.all.first(where: { text.hasPrefix($0.scheme + ":") }) {
            let argument = String(text.dropFirst(kind.scheme.count + 1))
            guard kind.accepts(argument) else { return nil }
            self = .builtIn(kind, argument: argument)
        } else if text.hasPrefix("list:") {
            let parts = text.dropFirst("list:".count).utf8.split(
                separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = try? PercentEncoding.decode(parts[0], of: "NAME") else { return nil }
            self = .list(name, argument: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
        } else {
            let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = ControllerName(String(parts[0])) else { return nil }
            self = .plugin(name.plugin, source: name.name, argument: parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// Returns the source that a text such as `json:/x` or `directory:/x` probably means; nil if the text has another
    /// form. The text cannot be the source of a plugin, because names of plugins contain no colon.
    static func meantSource(in text: String) -> String? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let schemes = ["list"] + BuiltInSource.all.map(\.scheme)
        guard parts.count == 2, parts[1].hasPrefix("/"), !schemes.contains(String(parts[0])), !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) })
        else { return nil }
        let path = "/" + parts[1].drop { $0 == "/" }
        switch parts[0].lowercased() {
        case "dir", "directory", "files", "folder": return "files/directory?" + path
        default: return "jsonl:" + path
        }
    }

    /// Checks that the argument of a list is a valid query.
    ///
    /// - Throws: `invalidArguments` that names the faulty key.
    func checkArgument() throws(ListError) {
        if case .list(_, let argument) = self { _ = try DerivedQuery(parsing: argument) }
    }

    /// The name of the list that is followed; nil for other sources.
    package var followed: String? { if case .list(let name, _) = self { name } else { nil } }

    /// The valid forms of the option, for error messages.
    static var forms: String {
        let builtIn = BuiltInSource.all.map(\.form).joined(separator: ", ")
        return "push, \(builtIn), list:NAME?argument or PLUGIN/SOURCE?argument"
    }

    /// The source in the form that `init` parses.
    package var text: String {
        switch self {
        case .push: "push"
        case .builtIn(let kind, let argument): kind.scheme + ":" + argument
        case .list(let name, ""): "list:" + PercentEncoding.encode(name)
        case .list(let name, let argument): "list:\(PercentEncoding.encode(name))?\(argument)"
        case .plugin(let plugin, let source, ""): "\(plugin)/\(source)"
        case .plugin(let plugin, let source, let argument): "\(plugin)/\(source)?\(argument)"
        }
    }
}

/// The name of a section controller or data source of a plugin, `PLUGIN/NAME`.
package struct ControllerName: Sendable, Hashable {
    /// The name of the plugin; `listd` for built-in section controllers.
    package var plugin: String
    /// The name inside of the plugin.
    package var name: String

    /// Parses `PLUGIN/NAME`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        plugin = String(parts[0])
        name = String(parts[1])
    }

    /// Returns the text if it is a valid name.
    ///
    /// - Throws: `invalidArguments` that quotes the text.
    package static func validated(_ text: String) throws(ListError) -> String {
        guard ControllerName(text) != nil else {
            throw ListError(invalidValue: text, expected: "a name such as PLUGIN/CONTROLLER")
        }
        return text
    }
}
