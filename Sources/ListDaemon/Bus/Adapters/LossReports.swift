// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// The reports about contents of a list's objects that built-in section controllers cannot show. All are counted; the
/// first of each reason is logged.
@DBusActor
struct LossReports {
    private var logged: Set<ContentLoss.Reason> = []

    /// Counts and logs the losses of one update of the list `name`.
    mutating func report(_ losses: [ContentLoss], of name: String, to service: Service) {
        for loss in losses {
            service.count(loss.reason.counter, times: loss.count)
            guard logged.insert(loss.reason).inserted else { continue }
            service.log.warning(
                "object \(loss.objectID.debugDescription): \(loss.key) \(loss.reason.text); further cases in this list "
                    + "are only counted (\(loss.reason.counter.rawValue))",
                .adapter(name), limitedBy: "objects of \(name)")
        }
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
