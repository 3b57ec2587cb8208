// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// An error of a server or of the connection to it.
struct PostgresError: Error {
    /// The kind of failure.
    enum Kind: Equatable {
        /// There is no connection, or the connection can no longer be used.
        case connection
        /// A statement failed with this SQLSTATE on a working connection.
        case statement(String)
        /// Authentication failed, or the service does not exist: an administrator has to change something.
        case refused
    }

    let kind: Kind
    /// The message, on one line and without secrets.
    let message: String

    /// Returns whether a statement failed with one of these SQLSTATEs.
    func isStatementFailure(withState states: String...) -> Bool {
        if case .statement(let state) = kind { states.contains(state) } else { false }
    }
}

/// An error that concerns one list, and not the other lists of the service.
struct ListFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension String {
    /// Returns the text on one line, with `…` in place of a secret.
    ///
    /// libpq writes a line for each host that it tried, and asks whether the server is running. Repeated lines and that
    /// question are left out, and the others are separated by `;`.
    func onOneLine(without secret: String? = nil) -> String {
        var lines: [Substring] = []
        for line in split(whereSeparator: \.isNewline).map({ $0.drop { $0 == " " || $0 == "\t" } })
        where !lines.contains(line) && !line.hasPrefix("Is the server running ") {
            lines.append(line)
        }
        var text = lines.joined(separator: "; ")
        if let secret, !secret.isEmpty { text.replace(secret, with: "…") }
        return text
    }

    /// The text as a quoted SQL identifier.
    var asIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The text in quotation marks, truncated after 64 characters.
    var quoted: String { count > 64 ? "“\(prefix(64))…”" : "“\(self)”" }
}
