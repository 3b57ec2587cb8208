// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListConfiguration
@_spi(Daemon) package import ListKit
internal import ListSupport

/// The canonical path of a file that has passed the checks of a plugin's library.
///
/// The checks exclude files that an attacker could have put there or could still change. They accept only regular
/// files inside of a plugin directory. File and directories must be owned by root or the daemon's user, and nobody
/// else may be able to write them. The file must be a shared object for this machine, as the dynamic loader's own
/// error would not tell an administrator the reason.
package struct PluginFile: Sendable, Hashable {
    /// The canonical path.
    package let path: String

    /// Checks a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - directories: the plugin directories.
    ///   - identity: the user and group of the process that loads the file.
    /// - Throws: `noSuchPlugin` when there is no such file, `pluginRefused` with the reason otherwise.
    package init(
        path: String, in directories: [String], identity: ProcessIdentity = .current
    ) throws(ListError) {
        guard let real = canonicalPath(path) else {
            throw ListError(.noSuchPlugin, "\(path.shortenedPath) does not exist", cause: SystemError.text(errno))
        }
        guard let directory = directories.lazy.compactMap(canonicalPath).first(where: { real.hasPrefix($0 + "/") })
        else {
            throw ListError(
                .pluginRefused,
                "\(path.shortenedPath): \(real.shortenedPath) is in no plugin directory; move it to \(directories.joined(separator: " or ")), and "
                    + "load it by its name, \(Self.pluginName(ofFile: real).quoted)")
        }
        for directory in Self.directories(from: directory, to: real) {
            try FileStatus(of: directory).checkTrust(in: identity, asDirectoryOf: path)
        }
        try FileStatus(of: real).checkTrust(in: identity)
        try ELFHeader(of: real).check(path)
        self.path = real
    }

    /// Returns the plugin directory and its subdirectories on the path to a file. A user who may write one of them
    /// could replace the file.
    private static func directories(from directory: String, to file: String) -> [String] {
        let names = file.utf8.dropFirst(directory.utf8.count).split(separator: UInt8(ascii: "/")).dropLast()
        return names.reduce(into: [directory]) { found, name in
            found.append("\(found.last ?? directory)/\(String(decoding: name, as: UTF8.self))")
        }
    }

    /// The plugin's name according to the file name: NAME for `libNAME.so` and `NAME.so`.
    package var pluginName: String { Self.pluginName(ofFile: path) }

    /// Returns the name of the plugin according to the name of its file.
    package static func pluginName(ofFile path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix(".so") { name.removeLast(3) }
        if name.hasPrefix("lib") { name.removeFirst(3) }
        return name
    }
}

/// The user and group of a process, by which the file system checks its rights.
package struct ProcessIdentity: Sendable, Hashable {
    /// The effective user.
    package var user: UInt32
    /// The effective group.
    package var group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// The identity of this process.
    package static var current: ProcessIdentity { ProcessIdentity(user: geteuid(), group: getegid()) }
}

/// The type, mode and owner of a file.
private struct FileStatus {
    let path: String
    let mode: UInt32
    let owner: UInt32
    let group: UInt32

    init(of path: String) throws(ListError) {
        var status = stat()
        // The path outlives the call; the status is a local of this function.
        guard unsafe stat(path, &status) == 0 else {
            throw ListError(
                .pluginRefused, "the status of \(path.shortenedPath) cannot be read", cause: SystemError.text(errno))
        }
        self.path = path
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
    }

    func checkTrust(in identity: ProcessIdentity) throws(ListError) {
        guard mode & S_IFMT == S_IFREG else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not a regular file")
        }
        try checkOwner(identity)
    }

    func checkTrust(in identity: ProcessIdentity, asDirectoryOf file: String) throws(ListError) {
        do throws(ListError) {
            try checkOwner(identity)
        } catch {
            throw ListError(
                .pluginRefused, "\(file.shortenedPath): its plugin directory is not safe", cause: error.message)
        }
    }

    private func checkOwner(_ identity: ProcessIdentity) throws(ListError) {
        guard owner == 0 || owner == identity.user else {
            throw ListError(
                .pluginRefused, "\(path.shortenedPath) is owned by user \(owner), not by root or user \(identity.user)")
        }
        let isOpenToGroup = mode & S_IWGRP != 0 && group != identity.group && group != 0
        guard mode & S_IWOTH == 0, !isOpenToGroup else {
            let digits = String(mode & 0o7777, radix: 8)
            throw ListError(
                .pluginRefused, "\(path.shortenedPath) is writable by other users (mode \(digits), group \(group))")
        }
    }
}

/// Returns the canonical form of a path, without symbolic links. Returns `nil` and sets `errno` when the file does
/// not exist.
private func canonicalPath(_ path: String) -> String? {
    // realpath allocates the result, which is copied and freed here.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

/// The directories in which plugins are searched, in order.
package struct PluginDirectories: Sendable, Hashable {
    /// The paths of the directories.
    package let paths: [String]

    package init(_ paths: [String]) {
        self.paths = paths
    }

    /// Finds a plugin by its name, or by a path to its file within the directories.
    ///
    /// A name is searched as `NAME.so` and `libNAME.so`, in the order of the directories. A relative path is relative
    /// to a plugin directory.
    ///
    /// - Throws: `noSuchPlugin`, or `pluginRefused` for a file that must not be loaded. The message says what to do.
    package func find(_ nameOrPath: String) throws(ListError) -> PluginFile {
        guard !nameOrPath.isEmpty, !nameOrPath.utf8.contains(0) else {
            throw ListError(.noSuchPlugin, "the name of the plugin is empty, or has a NUL in it")
        }
        for path in candidates(for: nameOrPath) {
            if unsafe access(path, F_OK) == 0 { return try PluginFile(path: path, in: paths) }
            // Another plugin of that name, in a later directory, must not replace one that cannot be seen.
            if let reason = Self.obstacle(errno) {
                let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
                throw ListError(
                    .pluginRefused,
                    "\(path.shortenedPath) cannot be read by user \(user): check the modes of the plugin "
                        + "directories \(paths.joined(separator: ":"))", cause: reason)
            }
        }
        let directories = paths.joined(separator: ":")
        guard nameOrPath.utf8.contains(UInt8(ascii: "/")) else {
            throw ListError(
                .noSuchPlugin,
                "there is no plugin \(nameOrPath.quoted): no file of that name with .so at its end, or also lib at its "
                    + "beginning, is in \(directories)")
        }
        let name = PluginFile.pluginName(ofFile: nameOrPath)
        throw ListError(
            .noSuchPlugin,
            "there is no file \(nameOrPath.quoted); a plugin is loaded by its name, \(name.quoted), "
                + "from \(directories)")
    }

    private func candidates(for nameOrPath: String) -> [String] {
        if nameOrPath.hasPrefix("/") { return [nameOrPath] }
        if PluginName.isValid(nameOrPath) {
            return paths.flatMap { ["\($0)/\(nameOrPath).so", "\($0)/lib\(nameOrPath).so"] }
        }
        return paths.map { "\($0)/\(nameOrPath)" }
    }

    /// Returns the text of an error other than that there is no such file; nil otherwise.
    private static func obstacle(_ number: Int32) -> String? {
        [ENOENT, ENOTDIR, ENAMETOOLONG].contains(number) ? nil : SystemError.text(number)
    }
}

/// The part of a file's ELF header that shows whether this machine's dynamic loader can load the file (elf(5)).
struct ELFHeader {
    private static let length = 20
    private let bytes: [UInt8]

    /// Reads the header. Of a file that is shorter than a header, all bytes are read, and ``check(_:)`` throws.
    init(of path: String) throws(ListError) {
        // O_NONBLOCK: opening must not block, even if the path has become a FIFO.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) cannot be read", cause: SystemError.text(errno))
        }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.length)
        // The buffer is a local array, and `read` gets its length.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        bytes = Array(buffer.prefix(max(0, count)))
    }

    /// Makes a header from bytes.
    init(bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(Self.length))
    }

    /// Checks that the file is a shared object for this machine.
    func check(_ path: String) throws(ListError) {
        guard bytes.starts(with: [0x7F, UInt8(ascii: "E"), UInt8(ascii: "L"), UInt8(ascii: "F")]) else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not an ELF file")
        }
        guard bytes.count == Self.length, bytes[4] == 2, bytes[5] == 1 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not a 64-bit little-endian ELF file")
        }
        let type = UInt16(bytes[16]) | UInt16(bytes[17]) << 8
        guard type == 3 else {
            throw ListError(.pluginRefused, "\(path.shortenedPath) is not a shared object (ELF type \(type))")
        }
        let machine = UInt16(bytes[18]) | UInt16(bytes[19]) << 8
        guard machine == Self.thisMachine else {
            throw ListError(
                .pluginRefused,
                "\(path.shortenedPath) is built for ELF machine \(machine), but this machine is \(Self.thisMachine)")
        }
    }

    #if arch(x86_64)
    private static let thisMachine: UInt16 = 62
    #elseif arch(arm64)
    private static let thisMachine: UInt16 = 183
    #elseif arch(riscv64)
    private static let thisMachine: UInt16 = 243
    #endif
}
