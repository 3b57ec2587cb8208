// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A progress message on the last line of the terminal at standard error. It appears after one second.
final class Progress {
    private let what: String
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    init(_ what: String, total: Int) {
        self.what = what
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Shows how many of the `total` are done. The line is written at most five times a second.
    func show(_ done: Int) {
        let now = ContinuousClock.now
        guard isShown, now - start > .seconds(1), last.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
        last = now
        try? StandardDescriptor.errors.write("\r\(done) of \(total) \(what)\u{1B}[K")
    }

    /// Erases the line.
    func end() {
        if last != nil { try? StandardDescriptor.errors.write("\r\u{1B}[K") }
    }
}
