// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension MessageReader {
    /// Takes the `h` of an argument.
    ///
    /// - Throws: `InvalidArgs`, naming the argument, when the message came without the descriptor.
    mutating func readFileDescriptor(of argument: String) throws(DBusError) -> FileDescriptor {
        do throws(DBusError) {
            return try readFileDescriptor()
        } catch {
            throw DBusError(name: error.name, message: "\(argument): \(error.message)")
        }
    }
}
