// SPDX-License-Identifier: Apache-2.0

/// The characters that can be sent to the terminal.
enum TextEncoding: Sendable, Equatable {
    case unicode
    case ascii

    /// From the user's locale: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    ///
    /// The name decides, not the C library: the locale of a terminal at the other end of ssh is often not installed
    /// here.
    init(environment: [String: String]) {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let charset = name.prefix { $0 != "@" }.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        self = charset == "utf-8" || charset == "utf8" ? .unicode : .ascii
    }
}
