// SPDX-License-Identifier: Apache-2.0

extension Bool {
    /// Parses a boolean as systemd does (systemd.syntax(7)): `yes`, `true`, `on`, `1`, … in upper or lower case.
    @_spi(Daemon) public init?(configuration text: String) {
        switch text.lowercased() {
        case "1", "yes", "y", "true", "t", "on": self = true
        case "0", "no", "n", "false", "f", "off": self = false
        default: return nil
        }
    }
}
