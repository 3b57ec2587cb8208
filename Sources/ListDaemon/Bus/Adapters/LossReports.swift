// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// The reports about what is lost of a list's updates: contents of objects that built-in section controllers cannot
/// show, and objects with repeated identifiers. All are counted. Of contents the first of each reason is logged, of
/// updates with repeated identifiers one in 10 s.
@DBusActor
struct LossReports {
    private var logged: Set<ContentLoss.Reason> = []
    private var duplicates = RateLimiter(limit: RateLimit(burst: 1, interval: .seconds(10), keys: 1))

    /// Counts and logs the losses of one update of the list `name`.
    mutating func report(_ losses: [ContentLoss], of name: String, to service: Service) {
        for loss in losses {
            service.count(loss.reason.counter, times: loss.count)
            guard logged.insert(loss.reason).inserted else { continue }
            service.log.warning(
                "object \(loss.objectID.quoted): \(loss.key) \(loss.reason.text); further cases in this list "
                    + "are only counted (\(loss.reason.counter.rawValue))",
                .adapter(name), limitedBy: "objects of \(name)")
        }
    }

    /// Counts the duplicates that one update of the list `name` dropped, and logs them with their identifiers.
    ///
    /// - Parameter fields: the fields of the log that say where the update came from.
    mutating func report(
        _ dropped: DroppedDuplicates, of name: String, to service: Service, _ fields: [Log.Field]
    ) {
        guard dropped.count > 0 else { return }
        service.count(.duplicatesDropped, times: dropped.count)
        guard case .write(let leftOut) = duplicates.admit(name, at: .now) else { return }
        let objects =
            dropped.count == 1
            ? "1 object of the list \(name.quoted) was" : "\(dropped.count) objects of the list \(name.quoted) were"
        let mayHaveMore = dropped.ids.count == DroppedDuplicates.maximumIDs && dropped.count > dropped.ids.count
        let earlier = leftOut == 0 ? "" : "; so did \(leftOut) updates of the list since the last such message"
        service.log.write(
            .warning,
            {
                "\(objects) dropped, because earlier objects of the update have their identifiers: "
                    + dropped.ids.map(\.quoted).joined(separator: ", ") + (mayHaveMore ? ", …" : "") + earlier
            }, [.adapter(name)] + fields, limitedBy: nil)
    }
}

extension ContentLoss.Reason {
    fileprivate var counter: Statistics.Counter {
        switch self {
        case .noItemID, .repeatedItemID: .itemsDropped
        case .notANumber: .sizesReplaced
        }
    }

    /// What is wrong with the key's value, and the effect.
    fileprivate var text: String {
        switch self {
        case .noItemID: "is missing or not a string, so the item is dropped"
        case .repeatedItemID: "occurred before, so the item is dropped"
        case .notANumber: "is not a finite number, so the default value is used"
        }
    }
}
