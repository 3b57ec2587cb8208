// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An open file descriptor that this object owns and closes when it is released.
///
/// Sending and receiving duplicate the descriptor; all duplicates are close-on-exec.
public final class FileDescriptor: Sendable {
    /// The descriptor's number, valid during this object's lifetime.
    public let rawValue: Int32

    /// Takes ownership of an open descriptor.
    public init(adopting rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Duplicates a descriptor that has another owner.
    ///
    /// - Throws: `InvalidArgs` when `other` is not open, `LimitsExceeded` when the process can open no more
    ///   descriptors.
    public init(duplicating other: Int32) throws(DBusError) {
        rawValue = fcntl(other, F_DUPFD_CLOEXEC, 3)
        guard rawValue >= 0 else {
            throw errno == EBADF
                ? .invalidArgs("descriptor \(other) is not open")
                : .limitsExceeded("descriptor \(other) could not be duplicated (errno \(errno))")
        }
    }

    deinit {
        close(rawValue)
    }
}

extension FileDescriptor: Equatable {
    /// Returns whether both are the same open descriptor of this process.
    public static func == (left: FileDescriptor, right: FileDescriptor) -> Bool { left === right }
}
