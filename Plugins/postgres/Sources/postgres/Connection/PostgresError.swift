// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// An error of a server or of the connection to it.
struct PostgresError: Error {
    /// What failed.
    enum Kind: Equatable {
        /// There is no connection, or it can no longer be used.
        case connection
        /// A statement failed on a good connection; its SQLSTATE.
        case statement(String)
        /// Authentication failed, or the service does not exist: somebody has to change something.
        case refused
    }

    let kind: Kind
    /// One line, without secrets.
    let message: String

    /// Whether a statement failed with one of some SQLSTATEs.
    func isStatement(_ states: String...) -> Bool {
        if case .statement(let state) = kind { states.contains(state) } else { false }
    }
}

/// An error of one list, with a message; other lists of the service are not affected.
struct ListFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension String {
    /// The text on one line, with `…` in the place of a secret.
    func onOneLine(without secret: String? = nil) -> String {
        var text = split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
            .joined(separator: " ")
        if let secret, !secret.isEmpty { text.replace(secret, with: "…") }
        return text
    }

    /// The text as an identifier in SQL.
    var asIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The text in quotation marks, cut after 64 characters.
    var quoted: String { count > 64 ? "“\(prefix(64))…”" : "“\(self)”" }
}
