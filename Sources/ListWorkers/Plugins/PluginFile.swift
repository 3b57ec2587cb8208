// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ListKit
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
