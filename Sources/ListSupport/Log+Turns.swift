// SPDX-License-Identifier: Apache-2.0

package import DBus

extension Log {
    /// Logs each iteration of an event loop that takes longer than 50 ms, with the call that took most of the time.
    @DBusActor
    package func reportLongTurns(of loop: EventLoop = .shared) {
        loop.turns.reportTurns(longerThan: .milliseconds(50)) { [self] length, work in
            guard let work else {
                let text = "the event loop was busy for \(length.rounded), but not with a call"
                return notice("\(text)", limitedBy: "the event loop")
            }
            let user = work.userID.map { "user \($0)" } ?? "an unknown user"
            let method = (work.interface.map { $0 + "." } ?? "") + work.member
            let what = work.isAnswer ? "the answer to \(method)" : "the call \(method)"
            notice(
                """
                the event loop was busy for \(length.rounded), including \(work.duration.rounded) with \(what) \
                of \(user) (\(work.byteCount) bytes)
                """, .client(work.callerName), limitedBy: user)
        }
    }
}

extension Duration {
    fileprivate var rounded: String { "\(Int((self / .milliseconds(1)).rounded())) ms" }
}
