// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A directory that goes with this object.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let path: String

    /// Where all of them are.
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
