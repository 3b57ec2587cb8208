/// Objects that are told something and not kept alive by it (IGListKit F18).
struct WeakList<Element> {
    private struct Reference {
        weak var object: AnyObject?
    }

    private var references: [Reference] = []

    /// The objects that are still there, in the order in which they were added.
    var elements: [Element] { references.compactMap { $0.object as? Element } }

    mutating func add(_ element: Element) {
        remove(element)
        references.append(Reference(object: element as AnyObject))
    }

    mutating func remove(_ element: Element) {
        let object = element as AnyObject
        references.removeAll { $0.object == nil || $0.object === object }
    }
}
