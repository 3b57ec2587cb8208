// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension MessageReader {
    /// Reads a file descriptor argument (`h`).
    ///
    /// - Throws: `InvalidArgs`, naming the argument, if the message has no descriptor.
    mutating func readFileDescriptor(of argument: String) throws(DBusError) -> FileDescriptor {
        do throws(DBusError) {
            return try readFileDescriptor()
        } catch {
            throw DBusError(name: error.name, message: "\(argument): \(error.message)")
        }
    }
}
