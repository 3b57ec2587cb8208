// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSupport

/// The log of refusals by limits: at most one message in ten seconds for each user and limit, with the limit's key.
///
/// It records refused calls, which it recognises by the error in the answer, refused events of sources, and refused
/// connections.
@DBusActor
final class RefusalLog {
    private var limiter = RateLimiter(limit: RateLimit(burst: 1, interval: .seconds(10), keys: 1024))
    private let log: Log

    nonisolated init(log: Log) { self.log = log }

    /// Records an error. Errors other than refusals by a limit are ignored.
    ///
    /// - Parameters:
    ///   - subject: the refused thing, such as a method's name.
    ///   - user: the user on whose account the subject counts; nil = unknown.
    /// - Returns: the limit, if the error names one.
    @discardableResult
    func record(
        _ error: any Error, of subject: String, user: UInt32?, _ fields: Log.Field..., event: Log.Event? = nil
    ) -> LimitKey? {
        let error = DBusError(error)
        guard error.standard == .limitsExceeded || error.name == ListError.Code.payloadTooLarge.busName else {
            return nil
        }
        let key = LimitKey(namedAtEndOf: error.message)
        let userText = user.map { "user \($0)" } ?? "an unknown user"
        let verdict = limiter.admit("\(userText) \(key?.rawValue ?? subject)", at: .now)
        guard case .write(let leftOut) = verdict else { return key }
        let others = leftOut > 0 ? "; \(leftOut) more refusals since the last such message" : ""
        log.write(
            .notice, { "\(subject) of \(userText) was refused: \(error.message)\(others)" }, fields, event: event,
            limitedBy: nil)
        return key
    }
}
