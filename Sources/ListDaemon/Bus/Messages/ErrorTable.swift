// SPDX-License-Identifier: Apache-2.0

public import DBus
package import ListKit
internal import ListProtocol
internal import ListSupport

// The table of the engine's errors and their names on the bus, for both directions.

extension ListError.Code {
    /// The error's name on the bus. Standard errors have the names of D-Bus (docs/rules/contract.md, "Errors and
    /// limits").
    var busName: String {
        switch self {
        case .invalidArguments, .accessDenied, .limitsExceeded: "org.freedesktop.DBus.Error." + rawValue
        default: ObjectNames.errorPrefix + rawValue
        }
    }

    /// Finds the code with this name on the bus.
    init?(busName: String) {
        guard let code = Self.allCases.first(where: { $0.busName == busName }) else { return nil }
        self = code
    }
}

extension ListError: DBusErrorConvertible {
    /// The error as callers on the bus receive it: the cause follows the message in parentheses.
    package var dbusError: DBusError {
        DBusError(name: code.busName, message: reason)
    }

    /// Converts an error that occurred while a message was read.
    init(_ error: DBusError) {
        self.init(Code(busName: error.name) ?? .invalidArguments, error.message)
    }
}
