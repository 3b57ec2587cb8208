// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginAPI

@testable import packages

/// A temporary copy of dpkg's directory with a status file; it is removed together with this object.
final class AdminDirectory {
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "packages-plugin.\(UUID().uuidString)").path(percentEncoded: false)
        try make()
    }

    deinit { try? remove() }

    var status: String { "\(path)/status" }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }

    /// Replaces the status file as dpkg does: writes a new file and renames it over the old one.
    func replaceStatus(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/status-new"))
        guard unsafe rename("\(path)/status-new", status) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// Returns a stanza of the status file.
func stanza(
    _ name: String, version: String = "1.0-1", architecture: String = "amd64", state: String = "installed",
    size: Int? = nil
) -> String {
    """
    Package: \(name)
    Status: install ok \(state)
    Priority: optional
    Section: utils\(size.map { "\nInstalled-Size: \($0)" } ?? "")
    Architecture: \(architecture)
    Version: \(version)
    Depends: libc6 (>= 2.34)
    Conffiles:
     /etc/\(name).conf 0123456789abcdef0123456789abcdef
    Description: what \(name) is for
     Package: not a field
     .
     More about it.


    """
}

extension ListObject {
    /// The identities of the packages in a letter's object.
    var packageIDs: [String] {
        (fields["packages"]?.array ?? []).compactMap { $0.dictionary?["id"]?.string }
    }
}
