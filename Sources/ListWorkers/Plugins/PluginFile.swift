// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import ListKit
internal import ListSupport

/// A file that may be loaded as a plugin: its canonical path, after all checks of the file passed.
///
/// The checks keep out files that an attacker could have put there or could still change: they accept only regular
/// files inside a plugin directory, owned by root or by the daemon's user, that nobody else may write, as the directory
/// itself; and only shared objects for this machine, since the dynamic loader's own refusal gives no reason that an
/// administrator would understand.
package struct PluginFile: Sendable, Hashable {
    /// The canonical path.
    package let path: String

    /// Checks a file.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - directories: the plugin directories.
    ///   - identity: on whose behalf it would be loaded.
    /// - Throws: `noSuchPlugin` when there is no such file, `pluginRefused` with the reason otherwise.
    package init(
        path: String, in directories: [String], identity: ProcessIdentity = .current
    ) throws(ListError) {
        guard let real = canonicalPath(path) else {
            throw ListError(.noSuchPlugin, "\(path): no such file", cause: SystemError.text(errno))
        }
        guard let directory = directories.lazy.compactMap(canonicalPath).first(where: { real.hasPrefix($0 + "/") })
        else {
            throw ListError(
                .pluginRefused,
                "\(path): \(real) is in no plugin directory; put it into \(directories.joined(separator: " or ")), and load it "
                    + "by its name, “\(Self.pluginName(ofFile: real))”")
        }
        for directory in Self.directories(from: directory, to: real) {
            try FileStatus(of: directory).checkTrust(in: identity, asDirectoryOf: path)
        }
        try FileStatus(of: real).checkTrust(in: identity)
        try ELFHeader(of: real).check(path)
        self.path = real
    }

    /// The plugin directory and those below it on the way to a file: a user who may write one of them can put another
    /// file there.
    private static func directories(from directory: String, to file: String) -> [String] {
        let names = file.utf8.dropFirst(directory.utf8.count).split(separator: UInt8(ascii: "/")).dropLast()
        return names.reduce(into: [directory]) { found, name in
            found.append("\(found.last ?? directory)/\(String(decoding: name, as: UTF8.self))")
        }
    }

    /// The plugin's name as the file's name has it: `libNAME.so` and `NAME.so` are NAME.
    package var pluginName: String { Self.pluginName(ofFile: path) }

    /// The name that a plugin has whose file is at a path.
    package static func pluginName(ofFile path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        if name.hasSuffix(".so") { name.removeLast(3) }
        if name.hasPrefix("lib") { name.removeFirst(3) }
        return name
    }
}

/// Who a process is to the file system.
package struct ProcessIdentity: Sendable, Hashable {
    /// The effective user.
    package var user: UInt32
    /// The effective group.
    package var group: UInt32

    /// Names an identity.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// This process.
    package static var current: ProcessIdentity { ProcessIdentity(user: geteuid(), group: getegid()) }
}

/// What the file system says about a file.
private struct FileStatus {
    let path: String
    let mode: UInt32
    let owner: UInt32
    let group: UInt32

    init(of path: String) throws(ListError) {
        var status = stat()
        // The path outlives the call; the status is a local of this function.
        guard unsafe stat(path, &status) == 0 else {
            throw ListError(.pluginRefused, "\(path): cannot be looked at", cause: SystemError.text(errno))
        }
        self.path = path
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
    }

    func checkTrust(in identity: ProcessIdentity) throws(ListError) {
        guard mode & S_IFMT == S_IFREG else { throw ListError(.pluginRefused, "\(path): not a regular file") }
        try checkOwner(identity)
    }

    func checkTrust(in identity: ProcessIdentity, asDirectoryOf file: String) throws(ListError) {
        do throws(ListError) {
            try checkOwner(identity)
        } catch {
            throw ListError(.pluginRefused, "\(file): its plugin directory is not safe", cause: error.message)
        }
    }

    private func checkOwner(_ identity: ProcessIdentity) throws(ListError) {
        guard owner == 0 || owner == identity.user else {
            throw ListError(.pluginRefused, "\(path): owned by user \(owner), not by root or user \(identity.user)")
        }
        let isOpenToGroup = mode & S_IWGRP != 0 && group != identity.group && group != 0
        guard mode & S_IWOTH == 0, !isOpenToGroup else {
            let digits = String(mode & 0o7777, radix: 8)
            throw ListError(.pluginRefused, "\(path): others may write it (mode \(digits), group \(group))")
        }
    }
}

/// The canonical form of a path, without symbolic links; `nil` and `errno` when there is no such file.
private func canonicalPath(_ path: String) -> String? {
    // realpath allocates its answer, which is freed here after it was copied.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}
