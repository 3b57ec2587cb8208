// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An open file descriptor that this object owns; it is closed with the last reference.
///
/// Sending duplicates it, receiving makes a new duplicate; all are close-on-exec.
public final class FileDescriptor: Sendable {
    /// The number, valid during this object's lifetime.
    public let rawValue: Int32

    /// Takes over an open descriptor.
    public init(adopting rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// A duplicate of a descriptor with another owner.
    ///
    /// - Throws: `InvalidArgs` when it is not open, `LimitsExceeded` when the process can open no more.
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
    /// Whether both are the same open descriptor of this process.
    public static func == (left: FileDescriptor, right: FileDescriptor) -> Bool { left === right }
}
