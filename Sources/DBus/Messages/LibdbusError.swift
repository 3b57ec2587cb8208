// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Turns libdbus errors into thrown ones.
enum LibdbusError {
    /// Calls a function of libdbus that fills in an error and returns nil when it fails.
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
