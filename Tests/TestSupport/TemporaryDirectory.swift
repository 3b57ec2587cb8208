// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A temporary directory that is removed together with this object.
package final class TemporaryDirectory: Sendable {
    /// The path of the directory.
    package let path: String

    /// The directory that contains all temporary directories.
    package static var parent: String { FileManager.default.temporaryDirectory.path }

    /// Creates a new, empty directory.
    package init() {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("listd-test-\(UUID().uuidString.prefix(8))").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
