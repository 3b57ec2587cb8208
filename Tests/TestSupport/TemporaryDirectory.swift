// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A directory that is removed with this object.
package final class TemporaryDirectory: Sendable {
    /// Its path.
    package let path: String

    /// The directory that contains all of them.
    package static var parent: String { FileManager.default.temporaryDirectory.path }

    /// Makes a new empty directory.
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
