// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

// What the objects of a list answer without its presenter.

extension ObjectList {
    /// The number of objects, as announced.
    var objectCount: Int { table.count(.old) }

    /// The announced revisions and counts of the list.
    var status: ListStatus {
        ListStatus(
            revision: numbers.last, oldestRevision: log.oldestRevision, objectCount: objectCount, itemCount: itemCount,
            isFlat: isFlat)
    }

    /// Returns an announced object with its section.
    ///
    /// - Throws: `noSuchObject`.
    func find(_ id: String) throws(ListError) -> (section: Int, object: ListObject) {
        guard let section = table.index(ofID: id, .old), let object = table.object(at: section, .old) else {
            throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
        }
        return (section, object)
    }

    /// Returns whether `presented` is a possible presentation of an update of this list, or of items that changed by
    /// themselves.
    ///
    /// - Parameter update: the presented update; nil = items changed by themselves.
    func isPossible(_ presented: Announcement, of update: Change?) -> Bool {
        let count = table.count(update == nil ? .old : .new)
        let (most, overflow) = count.multipliedReportingOverflow(by: ListAdapter.maximumItemsPerSection)
        guard presented.itemCount >= 0, overflow || presented.itemCount <= most else { return false }
        guard !presented.isFlat || presented.itemCount == count else { return false }
        guard let transaction = presented.transaction else { return true }
        return transaction.itemCount == presented.itemCount
            && (update ?? Change()).allows(
                transaction, counts: (table.count(.old), count), options: update?.options ?? configuration)
    }
}

/// Consecutive objects of a list, as of a revision.
struct ObjectPage: Sendable {
    /// The announced revision.
    let revision: UInt64
    /// The number of objects in the whole list.
    let total: Int
    /// The objects.
    let objects: [ListObject]

    /// Reads the announced objects of a list from an offset on, as many as fit into `byteLimit`, and at least one. They are
    /// read in portions, because only the objects' sizes show how many fit.
    init(of list: ObjectList, from offset: Int, limit: Int, byteLimit: Int) {
        (revision, total) = (list.numbers.last, list.objectCount)
        var page: [ListObject] = []
        var bytes = 0
        reading: while page.count < limit {
            let start = offset + page.count
            let portion = list.table.objects(.old, in: start..<start + min(256, limit - page.count))
            guard !portion.isEmpty else { break }
            for object in portion {
                bytes += object.byteCount + 16
                if bytes > byteLimit, !page.isEmpty { break reading }
                page.append(object)
            }
        }
        objects = page
    }
}

/// The size of a large removal: one revision that removes more than half of the objects of a large list.
struct LargeRemoval: Sendable, Equatable {
    /// The minimum number of objects of a large list.
    private static let leastTotal = 1000

    /// The number of removed objects.
    let objects: Int
    /// The number of objects before the removal.
    let total: Int

    /// Returns nil if the list is not large, or if at most half of its objects are removed.
    init?(objects: Int, total: Int) {
        guard total >= Self.leastTotal, objects > total - objects else { return nil }
        self.objects = objects
        self.total = total
    }
}

extension RevisionNumbers {
    /// Makes the numbers of a list that continues after `revision`, which is the last number in use.
    init(at revision: UInt64, isStored: Bool) {
        self = isStored ? RevisionNumbers(restoring: revision, limit: revision) : RevisionNumbers(unstoredAt: revision)
    }
}
