// SPDX-License-Identifier: Apache-2.0

/// A size that a viewer measured.
public struct MeasuredSize: Sendable, Hashable {
    /// The object.
    public var objectID: String
    /// The item inside the object's section.
    public var item: Int
    /// What it measured, in points.
    public var size: Size

    /// Makes a size.
    public init(objectID: String, item: Int, size: Size) {
        self.objectID = objectID
        self.item = item
        self.size = size
    }
}
