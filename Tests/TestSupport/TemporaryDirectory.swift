internal import Foundation

/// A directory that goes with this object.
package final class TemporaryDirectory: Sendable {
    package let path: String

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
