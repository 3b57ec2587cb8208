// SPDX-License-Identifier: Apache-2.0

import CLinux
import DBus
import Foundation
import Glibc

/// A file that is an argument of a command; `-` is standard input.
enum InputFile {
    /// An error in reading it.
    struct Failure: Error {
        let message: String
    }

    /// Opens a file for reading.
    static func open(_ file: String) throws(Failure) -> Int32 {
        // The path is copied for the call.
        let descriptor = unsafe file == "-" ? dup(STDIN_FILENO) : Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard let fault = readingFault(of: descriptor) else { return descriptor }
        throw Failure(message: "\(file): \(SystemError.text(fault))")
    }

    /// Reads an open file to its end, and closes it.
    static func bytes(of descriptor: Int32, named file: String) throws(Failure) -> Data {
        do {
            return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        } catch {
            throw Failure(message: "\(file): \(error.localizedDescription)")
        }
    }

    /// A file that can be read several times: the same one, or a copy in memory of what a pipe sent.
    static func rereadable(_ source: FileDescriptor, named file: String) throws(Failure) -> FileDescriptor {
        var status = stat()
        // The kernel fills in the status.
        guard unsafe fstat(source.rawValue, &status) == 0 else { throw Failure(message: SystemError.text(errno)) }
        guard [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return source }
        let copy = try memory(named: file)
        var (buffer, size) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while true {
            // The buffer is ours, and the C library fills it.
            let count = unsafe read(source.rawValue, &buffer, buffer.count)
            if count == 0 { return copy }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(message: "\(file): \(SystemError.text(errno))") }
            size += count
            guard size <= mostBytes else { throw Failure(message: "\(file): more than \(mostBytes >> 20) MiB") }
            try write(Data(buffer.prefix(count)), to: copy, named: file)
        }
    }

    /// More than any listd reads of one file: a pipe that never ends must not fill the memory.
    private static let mostBytes = 1 << 30

    /// A file in memory with these bytes.
    static func memory(of bytes: Data, named file: String) throws(Failure) -> FileDescriptor {
        let copy = try memory(named: file)
        try write(bytes, to: copy, named: file)
        return copy
    }

    private static func memory(named file: String) throws(Failure) -> FileDescriptor {
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

    /// Why the opened file cannot be read, as an error number: directories can be opened, too, and a closed standard
    /// input is replaced by a descriptor for writing; `nil` = it can be read.
    private static func readingFault(of descriptor: Int32) -> Int32? {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return errno }
        if status.st_mode & S_IFMT == S_IFDIR { return EISDIR }
        return fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY ? EBADF : nil
    }
}
