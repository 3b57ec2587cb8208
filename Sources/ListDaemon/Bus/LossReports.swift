// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport

/// Counts what built-in section controllers do not show of a list's objects, and logs the first of each reason.
@DBusActor
struct LossReports {
    private var logged: Set<ContentLoss.Reason> = []

    /// Reports the losses of one update of the list `name`.
    mutating func report(_ losses: [ContentLoss], of name: String, to service: Service) {
        for loss in losses {
            service.count(loss.reason.counter, loss.count)
            guard logged.insert(loss.reason).inserted else { continue }
            service.log.warning(
                "object \(loss.objectID.debugDescription): \(loss.key) \(loss.reason.text); further ones of this list are "
                    + "counted only (\(loss.reason.counter.rawValue))",
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

    /// The fault of a key, and its effect.
    fileprivate var text: String {
        switch self {
        case .noItemID: "is missing or no text, so the item is dropped"
        case .repeatedItemID: "occurs before, so the item is dropped"
        case .notANumber: "is no finite number, so the default takes its place"
        }
    }
}
