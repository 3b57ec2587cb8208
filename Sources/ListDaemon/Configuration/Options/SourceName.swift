/// Where the objects of a list come from: the adapter option `source`.
package enum SourceName: Sendable, Hashable {
    /// From clients.
    case push
    /// From a file of JSON lines, which is followed.
    case jsonl(path: String)
    /// From a data source of a plugin; the argument is what follows the `?`, empty without one.
    case plugin(String, source: String, argument: String)

    /// Reads `push`, `jsonl:/PATH` or `PLUGIN/SOURCE?argument`; nil for anything else.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        let prefix = "jsonl:"
        if text == "push" {
            self = .push
        } else if text.hasPrefix(prefix) {
            let path = String(text.dropFirst(prefix.count))
            guard path.hasPrefix("/"), !path.hasSuffix("/") else { return nil }
            self = .jsonl(path: path)
        } else {
            let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = ControllerName(String(parts[0])) else { return nil }
            self = .plugin(name.plugin, source: name.name, argument: parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// The text that is read as this.
    package var text: String {
        switch self {
        case .push: "push"
        case .jsonl(let path): "jsonl:" + path
        case .plugin(let plugin, let source, ""): "\(plugin)/\(source)"
        case .plugin(let plugin, let source, let argument): "\(plugin)/\(source)?\(argument)"
        }
    }
}
