// SPDX-License-Identifier: Apache-2.0

import PluginAPI

@testable import files

/// A naive implementation of a list, to which the events of a data source are applied.
struct NaiveList {
    private(set) var objects: [ListObject] = []

    mutating func apply(_ event: DataSourceEvent) {
        switch event {
        case .replace(let all): objects = all
        case .changes(let removed, let upserts): apply(removed: removed, upserts: upserts)
        default: break
        }
    }

    mutating func apply(removed: [String], upserts: [UpdateRequest.Upsert]) {
        objects.removeAll { removed.contains($0.id) }
        for upsert in upserts { apply(upsert) }
    }

    private mutating func apply(_ upsert: UpdateRequest.Upsert) {
        let old = objects.firstIndex { $0.id == upsert.object.id }
        if let old { objects.remove(at: old) }
        let index: Int
        switch upsert.position {
        case .keep: index = old ?? objects.count
        case .first: index = 0
        case .last: index = objects.count
        case .before(let id): index = objects.firstIndex { $0.id == id } ?? -1
        case .after(let id): index = (objects.firstIndex { $0.id == id } ?? -2) + 1
        }
        guard objects.indices.contains(index) || index == objects.count else { return }
        objects.insert(upsert.object, at: index)
    }

    /// The names of the entries, in order.
    var names: [String] { objects.map { $0.fields["name"]?.string ?? "?" } }

    func object(named name: String) -> ListObject? { objects.first { $0.fields["name"]?.string == name } }
}

extension DirectoryListing {
    /// Returns all objects, each created in a turn of its own.
    func objects() throws -> [ListObject] {
        var objects: [ListObject] = []
        while try !appendObjects(to: &objects, until: .now) {}
        return objects
    }

    /// Replaces all entries and returns all objects.
    func replace(with entries: [FileEntry]) throws -> [ListObject] {
        let renewal = renewal(with: entries)
        while !renewal.proceed(until: .now) {}
        apply(renewal)
        return try objects()
    }
}
