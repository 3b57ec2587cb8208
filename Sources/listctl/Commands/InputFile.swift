// SPDX-License-Identifier: Apache-2.0

import CLinux
import DBus
import Foundation
import Glibc

/// Functions that read a file that is an argument of a command. `-` names standard input.
enum InputFile {
    /// The error of a file that cannot be read.
    struct Failure: Error {
        let message: String
    }

    /// Opens a file for reading; returns its descriptor.
    static func open(_ file: String) throws(Failure) -> Int32 {
        // Swift passes a copy of the path.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard let fault = errorNumber(ofReading: descriptor) else { return descriptor }
        throw Failure(message: "\(file): \(SystemError.text(fault))")
    }

    /// Reads an open file from its offset to its end, and closes it.
    static func bytes(of descriptor: Int32, named file: String) throws(Failure) -> Data {
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw Failure(message: "\(file): \(error.localizedDescription)")
        }
    }

    /// Returns a file that can be read several times. For a pipe or socket, that is a copy of its bytes in memory,
    /// else the file itself.
    static func rereadable(_ source: FileDescriptor, named file: String) throws(Failure) -> FileDescriptor {
        var status = stat()
        // The kernel fills in the status.
        guard unsafe fstat(source.rawValue, &status) == 0 else {
            throw Failure(message: "\(file): \(SystemError.text(errno))")
        }
        guard [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return source }
        let copy = try emptyMemoryFile(named: file)
        var (buffer, size) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while true {
            // The buffer is a local variable, which the C library fills.
            let count = unsafe read(source.rawValue, &buffer, buffer.count)
            if count == 0 { return copy }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(message: "\(file): \(SystemError.text(errno))") }
            size += count
            guard size <= maximumBytes else {
                throw Failure(message: "\(file): the input is longer than \(maximumBytes >> 20) MiB")
            }
            try write(Data(buffer.prefix(count)), to: copy, named: file)
        }
    }

    /// The maximum number of bytes that are read from a pipe, so that an endless pipe does not fill the memory. listd
    /// reads no file that is as long as that.
    private static let maximumBytes = 1 << 30

    /// Returns a file in memory that contains the given bytes.
    static func memoryFile(containing bytes: Data, named file: String) throws(Failure) -> FileDescriptor {
        let copy = try emptyMemoryFile(named: file)
        try write(bytes, to: copy, named: file)
        return copy
    }

    private static func emptyMemoryFile(named file: String) throws(Failure) -> FileDescriptor {
        let descriptor = unsafe listd_memfd("listctl")  // the name is copied
        guard descriptor >= 0 else { throw Failure(message: "\(file): \(SystemError.text(errno))") }
        return FileDescriptor(adopting: descriptor)
    }

    private static func write(_ bytes: Data, to file: FileDescriptor, named name: String) throws(Failure) {
        do {
            try FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false).write(contentsOf: bytes)
        } catch {
            throw Failure(message: "\(name): \(error.localizedDescription)")
        }
    }

    /// Returns the `errno` that says why an opened file cannot be read; `nil` when it can be read.
    ///
    /// Opening a directory succeeds, so directories are rejected here. So is a closed standard input, which
    /// `StandardDescriptor.openMissing` has replaced by a descriptor for writing only.
    private static func errorNumber(ofReading descriptor: Int32) -> Int32? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return errno }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY ? EBADF : nil
    }
}
