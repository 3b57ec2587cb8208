// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Converts errors of libdbus into thrown Swift errors.
enum LibdbusError {
    /// Calls a libdbus function that returns nil on failure and then fills in an error, which is thrown.
    static func check(
        _ body: (UnsafeMutablePointer<CDBus.DBusError>) -> OpaquePointer?
    ) throws(DBusError) -> OpaquePointer {
        var error = unsafe CDBus.DBusError()
        unsafe dbus_error_init(&error)
        defer { unsafe dbus_error_free(&error) }
        if let result = unsafe body(&error) { return unsafe result }
        throw unsafe DBusError(
            name: text(error.name) ?? StandardError.failed.rawValue, message: text(error.message) ?? "libdbus failed")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
