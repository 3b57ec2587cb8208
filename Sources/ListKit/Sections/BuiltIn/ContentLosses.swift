// SPDX-License-Identifier: Apache-2.0

/// A sum of the content losses of many objects, by reason.
struct ContentLosses {
    private(set) var losses: [ContentLoss] = []

    /// Counts a loss of an object. `key` is evaluated only for the first loss of each reason.
    mutating func add(_ reason: ContentLoss.Reason, of object: ListObject, key: @autoclosure () -> String) {
        if let index = losses.firstIndex(where: { $0.reason == reason }) {
            losses[index].count += 1
        } else {
            losses.append(ContentLoss(reason: reason, count: 1, objectID: object.id, key: key()))
        }
    }
}
