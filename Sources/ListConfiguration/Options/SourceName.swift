// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
package import ListSources

/// Where the objects of a list come from: the adapter option `source`.
package enum SourceName: Sendable, Hashable {
    /// From clients.
    case push
    /// From a source that is part of listd; the argument is what follows the colon.
    case builtIn(BuiltInSource, argument: String)
    /// From another list, which is followed; the argument is what follows the `?`, as it was given, empty without one.
    case list(String, argument: String)
    /// From a data source of a plugin; the argument is what follows the `?`, empty without one.
    case plugin(String, source: String, argument: String)

    /// Reads `push`, `SCHEME:argument`, `list:NAME?argument` or `PLUGIN/SOURCE?argument`; nil for anything else.
    ///
    /// What is wrong with the argument of a list is for ``checkArgument()`` to say.
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

    /// The source that a text such as `json:/x` or `directory:/x` is likely to mean: no plugin has a colon in its name.
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

    /// Refuses the argument of a list that is no query.
    ///
    /// - Throws: `invalidArguments`, naming the key at fault.
    func checkArgument() throws(ListError) {
        if case .list(_, let argument) = self { _ = try DerivedQuery(parsing: argument) }
    }

    /// The list that is followed; nil for every other source.
    package var followed: String? { if case .list(let name, _) = self { name } else { nil } }

    /// The forms that a text may have, for messages.
    static var forms: String {
        let builtIn = BuiltInSource.all.map(\.form).joined(separator: ", ")
        return "push, \(builtIn), list:NAME?argument or PLUGIN/SOURCE?argument"
    }

    /// The text that is read as this.
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
