// SPDX-License-Identifier: Apache-2.0

/// The set of characters that the terminal can show.
enum TextEncoding: Sendable, Equatable {
    case unicode
    case ascii

    /// Derives the encoding from the user's locale, which is the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    ///
    /// Only the locale's name is read. The C library is not asked, because the locale of a terminal at the other end of
    /// ssh is often not installed on this machine.
    init(environment: [String: String]) {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let charset = name.prefix { $0 != "@" }.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        self = charset == "utf-8" || charset == "utf8" ? .unicode : .ascii
    }
}
