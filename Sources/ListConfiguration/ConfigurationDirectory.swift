// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListSupport

/// A configuration directory, from which files are read.
struct ConfigurationDirectory {
    /// The maximum size of a file in bytes, far above that of a file written by hand.
    private static let largestFile = 1 << 20

    let path: String

    /// Returns the place of a file, for error messages.
    func place(ofFile name: String) -> ConfigurationPlace { ConfigurationPlace(file: "\(path)/\(name)", line: nil) }

    /// Returns the visible file names, sorted; nil if the directory does not exist. In a name that is not UTF-8,
    /// U+FFFD replaces the invalid bytes, so a file with the returned name does not exist.
    func fileNames() throws(ConfigurationFault) -> [String]? { try Self.names(in: path) }

    /// Returns the drop-ins of a file, sorted, as paths relative to this directory.
    func dropIns(of file: String) throws(ConfigurationFault) -> [String] {
        let folder = file + ".d"
        let names = try Self.names(in: "\(path)/\(folder)") ?? []
        return names.filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }
    }

    /// Reads a file.
    func read(_ name: String) throws(ConfigurationFault) -> [UInt8] {
        let place = place(ofFile: name)
        // Non-blocking, as the file may be a pipe.
        let number = unsafe open(place.file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            guard errno == ENOENT, name.unicodeScalars.contains("\u{FFFD}") else {
                throw Self.unreadableFault(place.file, errno: errno)
            }
            throw ConfigurationFault(place: place, message: "the file name is not UTF-8")
        }
        let file = FileDescriptor(adopting: number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationFault(place: place, message: "the file is not a regular file")
        }
        var bytes = [UInt8](repeating: 0, count: Self.largestFile + 1)
        var count = 0
        while count < bytes.count {
            let received = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file.rawValue, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else { throw Self.unreadableFault(place.file, errno: errno) }
            if received == 0 { return Array(bytes.prefix(count)) }
            count += received
        }
        throw ConfigurationFault(place: place, message: "the file is larger than \(Self.largestFile) bytes")
    }

    private static func names(in path: String) throws(ConfigurationFault) -> [String]? {
        guard let directory = unsafe opendir(path) else {
            if errno == ENOENT { return nil }
            throw unreadableFault(path, errno: errno, mode: "755")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // The name is terminated by a NUL inside of the entry.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the report of a file that cannot be read.
    ///
    /// - Parameter mode: the mode with which everybody could read it.
    private static func unreadableFault(
        _ path: String, errno number: Int32, mode: String = "644"
    ) -> ConfigurationFault {
        var message = "cannot be read: \(SystemError.text(number))"
        if number == EACCES {
            let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
            message += "; listd reads it as user \(user): run chmod \(mode) \(path)"
        }
        return ConfigurationFault(place: ConfigurationPlace(file: path, line: nil), message: message)
    }
}
