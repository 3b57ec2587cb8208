/// The sizes that a client measured, in front of the estimates of the section controllers (IGListKit U6).
///
/// Kept by the identity of object and item, so that they follow their items through every update. A view asks here
/// first when it answers ``LayoutSource/sizeForItem(at:)``; a section with a reported size has no uniform size.
public struct ReportedSizes: Sendable {
    private var sizes: [String: [String: Size]] = [:]

    /// Makes an empty store.
    public init() {}

    /// The size reported for an item of an object, if any; O(1).
    public func size(ofItem item: String, in object: String) -> Size? {
        sizes[object]?[item]
    }

    /// Whether any item of an object has a reported size.
    public func hasSizes(in object: String) -> Bool {
        sizes[object] != nil
    }

    /// Keeps a size for an item; answers whether it differs from the one kept before.
    ///
    /// A size with NaN or infinite numbers is not kept; negative lengths count as 0.
    public mutating func report(_ size: Size, ofItem item: String, in object: String) -> Bool {
        guard size.width.isFinite, size.height.isFinite else { return false }
        let size = Size(width: max(0, size.width), height: max(0, size.height))
        return sizes[object, default: [:]].updateValue(size, forKey: item) != size
    }

    /// Forgets an object that left the list, or whose sizes are to be estimated again.
    public mutating func forget(_ object: String) {
        sizes[object] = nil
    }

    /// Forgets everything, as when the container's size changes.
    public mutating func forgetAll() {
        sizes.removeAll()
    }
}
