// SPDX-License-Identifier: Apache-2.0

/// The syntax of names of plugins, and of what plugins export.
package enum PluginName {
    /// Returns whether a text is a valid name: letters, digits, `-` and `_`, from 1 to 64 bytes.
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
