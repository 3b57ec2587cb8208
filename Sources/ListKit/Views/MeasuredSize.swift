// SPDX-License-Identifier: Apache-2.0

/// An item size that a viewer measured.
public struct MeasuredSize: Sendable, Hashable {
    /// The identifier of the object.
    public var objectID: String
    /// The index of the item in the object's section.
    public var item: Int
    /// The measured size, in points.
    public var size: Size

    /// Makes a measured size.
    public init(objectID: String, item: Int, size: Size) {
        self.objectID = objectID
        self.item = item
        self.size = size
    }
}
