// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import ListSupport

/// The pages of a whole list that is not complete yet.
///
/// A source sends one page at a time, so that memory holds the objects that have come and one more page.
package struct ReplacementPages {
    /// The most bytes of a whole list, whoever owns it.
    static let greatestBytes = 1 << 30

    /// The objects that came, in order.
    package private(set) var objects: [ListObject] = []
    private var byteCount = 0

    /// Adds a page.
    ///
    /// - Parameter room: what the list may have.
    /// - Throws: `limitsExceeded` when the list would have more; the page is not added then.
    package mutating func append(_ page: [ListObject], within room: Quotas.Amounts) throws(ListError) {
        byteCount += page.reduce(0) { $0 + $1.byteCount }
        let count = objects.count + page.count
        guard count <= room.objects else {
            throw LimitKey.objectsPerUser.refusal(.limitsExceeded, "a list of more than \(room.objects) objects")
        }
        guard byteCount <= room.bytes else {
            throw LimitKey.bytesPerUser.refusal(.limitsExceeded, "a list of more than \(room.bytes) bytes")
        }
        guard byteCount <= Self.greatestBytes else {
            throw ListError(.limitsExceeded, "a list of more than \(Self.greatestBytes) bytes")
        }
        objects += page
    }

    /// Puts it together.
    package init(objects: [ListObject] = []) {
        self.objects = objects
    }
}

extension SourceEvent {
    /// The event in parts that together say the same, none with much more than the given number of bytes of objects.
    ///
    /// Only whole lists and their pages can be split: changes of a list must come in one piece.
    package func parts(ofBytes most: Int) -> [SourceEvent] {
        switch self {
        case .replace(let objects): return Self.pages(objects, most, endingWith: .replacementEnded) ?? [self]
        case .upTo(let progress, .replace(let objects)):
            return Self.pages(objects, most, endingWith: .upTo(progress, .replacementEnded)) ?? [self]
        case .page(let objects): return Self.pages(of: objects, most)
        case .changes, .failed, .fault, .ready, .paused, .replacementBegan, .replacementEnded, .replacementAbandoned,
            .upTo, .written:
            return [self]
        }
    }

    /// A whole list in pages; nil when it fits into one.
    private static func pages(_ objects: [ListObject], _ most: Int, endingWith end: SourceEvent) -> [SourceEvent]? {
        let pages = pages(of: objects, most)
        return pages.count > 1 ? [.replacementBegan] + pages + [end] : nil
    }

    private static func pages(of objects: [ListObject], _ most: Int) -> [SourceEvent] {
        var pages: [SourceEvent] = []
        var (start, bytes) = (0, 0)
        for index in objects.indices {
            bytes += objects[index].byteCount
            guard bytes >= most else { continue }
            pages.append(.page(Array(objects[start...index])))
            (start, bytes) = (index + 1, 0)
        }
        if start < objects.count || pages.isEmpty { pages.append(.page(Array(objects[start...]))) }
        return pages
    }
}
