// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The test vectors in `Tests/Vectors`.
package enum Vectors {
    /// Loads a file: `Vectors.load("diff")` reads `Tests/Vectors/diff.json`.
    package static func load(_ name: String) throws -> JSON {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = directory.appendingPathComponent("Vectors/\(name).json")
        return try JSON(parsing: String(contentsOf: path, encoding: .utf8))
    }
}
