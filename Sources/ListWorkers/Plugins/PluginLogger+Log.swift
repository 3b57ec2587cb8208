// SPDX-License-Identifier: Apache-2.0

package import ListSupport
internal import PluginAPI

extension PluginLogger {
    /// The longest message, in bytes of UTF-8.
    static let greatestLength = 2048

    /// Makes a logger that writes the messages of a plugin into the daemon's log.
    ///
    /// The rate of these messages is limited as for a client. The limit does not cover listd's own messages about the
    /// plugin, such as its death.
    package init(_ log: Log, plugin: String) {
        let log = log.with(.plugin(plugin))
        self.init { level, message in
            log.write(
                Log.Level(rawValue: level.rawValue) ?? .info, { "\(plugin): \(Self.shortened(message))" },
                limitedBy: "the activity of plugin \(plugin)")
        }
    }

    /// Truncates a message that is longer than ``greatestLength`` bytes between two characters, and appends “…”.
    ///
    /// - Complexity: O(``greatestLength``), unless a single character is longer.
    static func shortened(_ message: String) -> String {
        let bytes = message.utf8
        guard bytes.index(bytes.startIndex, offsetBy: greatestLength + 1, limitedBy: bytes.endIndex) != nil else {
            return message
        }
        let end = bytes.index(bytes.startIndex, offsetBy: greatestLength - "…".utf8.count)
        let cut = message.indices.prefix { $0 <= end }.last
        // If the first character itself is too long, it is truncated between two scalars.
        return message[..<(cut == message.startIndex ? end : cut ?? end)] + "…"
    }
}
