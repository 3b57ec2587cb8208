// SPDX-License-Identifier: Apache-2.0

package import ListKit
package import ListSupport

/// The pages of a whole list that have arrived so far.
///
/// A source sends one page at a time, so that memory holds the objects that have arrived and one more page.
package struct ReplacementPages {
    /// The maximum size of a whole list in bytes, whatever the limits of its owner.
    static let greatestBytes = 1 << 30

    /// The objects that have arrived, in order.
    package private(set) var objects: [ListObject] = []
    private var byteCount = 0

    /// Adds a page.
    ///
    /// - Parameter room: the maximum size of the list.
    /// - Throws: `limitsExceeded` when the list would exceed `room`. The page is then not added.
    package mutating func append(_ page: [ListObject], within room: Quotas.Amounts) throws(ListError) {
        byteCount += page.reduce(0) { $0 + $1.byteCount }
        let count = objects.count + page.count
        guard count <= room.objects else {
            throw LimitKey.objectsPerUser.refusal(.limitsExceeded, "the list has more than \(room.objects) objects")
        }
        guard byteCount <= room.bytes else {
            throw LimitKey.bytesPerUser.refusal(.limitsExceeded, "the list has more than \(room.bytes) bytes")
        }
        guard byteCount <= Self.greatestBytes else {
            throw ListError(.limitsExceeded, "the list has more than \(Self.greatestBytes) bytes")
        }
        objects += page
    }

    /// Creates pages from the objects that have arrived.
    package init(objects: [ListObject] = []) {
        self.objects = objects
    }
}

extension SourceEvent {
    /// Splits the event into equivalent events, each with not much more than the given number of bytes in objects.
    ///
    /// Only whole lists and their pages can be split; changes of a list must be sent in one piece.
    package func parts(ofBytes most: Int) -> [SourceEvent] {
        switch self {
        case .replace(let objects):
            return Self.wholeList(objects, pageBytes: most, endingWith: .replacementEnded) ?? [self]
        case .upTo(let progress, .replace(let objects)):
            return Self.wholeList(objects, pageBytes: most, endingWith: .upTo(progress, .replacementEnded)) ?? [self]
        case .page(let objects): return Self.pages(of: objects, bytes: most)
        case .changes, .failed, .fault, .ready, .paused, .replacementBegan, .replacementEnded, .replacementAbandoned,
            .upTo, .written:
            return [self]
        }
    }

    /// Returns a whole list in pages; nil when it fits into one page.
    private static func wholeList(_ objects: [ListObject], pageBytes: Int, endingWith end: SourceEvent)
        -> [SourceEvent]?
    {
        let pages = pages(of: objects, bytes: pageBytes)
        return pages.count > 1 ? [.replacementBegan] + pages + [end] : nil
    }

    private static func pages(of objects: [ListObject], bytes pageBytes: Int) -> [SourceEvent] {
        var pages: [SourceEvent] = []
        var (start, bytes) = (0, 0)
        for index in objects.indices {
            bytes += objects[index].byteCount
            guard bytes >= pageBytes else { continue }
            pages.append(.page(Array(objects[start...index])))
            (start, bytes) = (index + 1, 0)
        }
        if start < objects.count || pages.isEmpty { pages.append(.page(Array(objects[start...]))) }
        return pages
    }
}
