// SPDX-License-Identifier: Apache-2.0

/// The content in an update's objects that built-in section controllers left out or replaced for one reason.
@_spi(Daemon) @frozen public struct ContentLoss: Sendable, Hashable {
    /// The reason why content was left out or replaced.
    @frozen public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// An element of `items` has no text as `id`, so it makes no item.
        case noItemID = "no-item-id"
        /// An element of `items` repeats the `id` of an earlier element, so it makes no item.
        case repeatedItemID = "repeated-item-id"
        /// A size, spacing or coordinate is not a finite number, so it counts as absent.
        case notANumber = "not-a-number"
    }

    /// The reason why content was left out or replaced.
    public var reason: Reason
    /// The number of occurrences in all objects.
    public var count: Int
    /// The identifier of the first object with such content.
    public var objectID: String
    /// The key of the content in the first object's fields, such as `items[2].height`.
    public var key: String

    /// Makes a loss.
    public init(reason: Reason, count: Int, objectID: String, key: String) {
        self.reason = reason
        self.count = count
        self.objectID = objectID
        self.key = key
    }
}
