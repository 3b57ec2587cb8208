// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// What a server, or the way to it, said no with.
struct PostgresError: Error {
    /// What the error is about.
    enum Kind: Equatable {
        /// There is no connection, or it is of no more use.
        case connection
        /// The connection is there; the statement was refused, with the SQLSTATE that says why.
        case statement(String)
        /// The server does not let us in, or the service does not exist: trying again does not help by itself.
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

/// What is wrong with one list, whatever its service is like.
struct ListFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension String {
    /// The text on one line, without the bytes of a secret.
    func onOneLine(without secret: String? = nil) -> String {
        var text = split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
            .joined(separator: " ")
        if let secret, !secret.isEmpty { text.replace(secret, with: "…") }
        return text
    }

    /// As an identifier in SQL.
    var asIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The text in quotation marks, cut after 64 characters.
    var quoted: String { count > 64 ? "“\(prefix(64))…”" : "“\(self)”" }

    /// As a constant in SQL.
    var asLiteral: String { "'" + replacing("'", with: "''") + "'" }
}
