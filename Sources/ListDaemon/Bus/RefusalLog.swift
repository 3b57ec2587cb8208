// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListSupport

/// Logs refusals by limits: in ten seconds one for each user and limit, with the limit's key.
///
/// Every refusal comes here, whoever found it: calls by the error that answers them, events of sources, connections.
@DBusActor
final class RefusalLog {
    private var limiter = RateLimiter(limit: RateLimit(burst: 1, interval: .seconds(10), keys: 1024))
    private let log: Log

    nonisolated init(log: Log) { self.log = log }

    /// Records an error returned to a caller; ignores errors other than refusals by a limit.
    ///
    /// - Parameters:
    ///   - subject: what was refused, as a method's name.
    ///   - user: on whose account it goes; nil = nobody knows.
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
        let others = leftOut > 0 ? "; so were \(leftOut) more since the last such message" : ""
        log.write(
            .notice, { "\(subject) of \(userText) was refused: \(error.message)\(others)" }, fields, event: event,
            limitedBy: nil)
        return key
    }
}
