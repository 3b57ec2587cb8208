// SPDX-License-Identifier: Apache-2.0

/// An ordered list of weak references to objects.
struct WeakList<Element> {
    private struct Reference {
        weak var object: AnyObject?
    }

    private var references: [Reference] = []

    /// The objects that still exist, in the order in which they were added.
    var elements: [Element] {
        // Nil is dropped before the cast: in optimised code, casting nil to a generic class type ends the process.
        references.compactMap(\.object).compactMap { $0 as? Element }
    }

    mutating func add(_ element: Element) {
        remove(element)
        references.append(Reference(object: element as AnyObject))
    }

    mutating func remove(_ element: Element) {
        let object = element as AnyObject
        references.removeAll { $0.object == nil || $0.object === object }
    }
}
