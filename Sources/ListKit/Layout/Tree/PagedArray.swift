// SPDX-License-Identifier: Apache-2.0

/// An array that is stored in pages, so that changing one of two copies duplicates only the changed pages.
///
/// A copy, such as of a layout for anchoring, shares all pages. The first change after that copies one page and the
/// list of pages, which has a few hundred entries for the layout of a million small sections.
struct PagedArray<Element> {
    /// The number of elements per page, a power of two.
    private static var pageSize: Int { 64 }

    private var pages: [[Element]] = []
    private(set) var count = 0

    init() {}

    init(_ elements: [Element]) {
        count = elements.count
        pages = stride(from: 0, to: elements.count, by: Self.pageSize).map {
            Array(elements[$0..<min($0 + Self.pageSize, elements.count)])
        }
    }

    init(repeating element: Element, count: Int) {
        self.init(Array(repeating: element, count: count))
    }

    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Element {
        get { pages[index / Self.pageSize][index % Self.pageSize] }
        _modify { yield &pages[index / Self.pageSize][index % Self.pageSize] }
    }

    mutating func append(_ element: Element) {
        if count % Self.pageSize == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }
}

extension PagedArray: Sendable where Element: Sendable {}
