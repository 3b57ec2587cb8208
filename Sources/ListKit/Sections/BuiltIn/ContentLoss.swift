// SPDX-License-Identifier: Apache-2.0

/// The content that built-in section controllers left out of the objects of an update, or replaced in them, for one reason.
@_spi(Daemon) @frozen public struct ContentLoss: Sendable, Hashable {
    /// Why.
    @frozen public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// An element of `items` has no text as `id`: it makes no item.
        case noItemID = "no-item-id"
        /// An element of `items` has the `id` of one before it: it makes no item.
        case repeatedItemID = "repeated-item-id"
        /// A size, spacing or place is not a number, or not finite: it counts as absent.
        case notANumber = "not-a-number"
    }

    /// Why.
    public var reason: Reason
    /// How often, over all objects.
    public var count: Int
    /// The first object.
    public var objectID: String
    /// The key in its fields, as `items[2].height`.
    public var key: String

    /// Makes a loss.
    public init(reason: Reason, count: Int, objectID: String, key: String) {
        self.reason = reason
        self.count = count
        self.objectID = objectID
        self.key = key
    }
}

/// Adds up the losses of many objects, by reason.
struct ContentLosses {
    private(set) var losses: [ContentLoss] = []

    /// Counts a loss of an object; its key is only evaluated for the first loss of a reason.
    mutating func add(_ reason: ContentLoss.Reason, of object: ListObject, key: @autoclosure () -> String) {
        if let index = losses.firstIndex(where: { $0.reason == reason }) {
            losses[index].count += 1
        } else {
            losses.append(ContentLoss(reason: reason, count: 1, objectID: object.id, key: key()))
        }
    }
}
