// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// A writer's operation on a list.
enum ListChange: Sendable {
    case replace([ObjectRow])
    case apply(removed: [String], upserts: [(row: ObjectRow, position: String, anchor: String)])
    case move(String, String, String)
    case patch(String, [String: DBusValue])

    @DBusActor
    func perform(on adapter: TestAdapter) async throws -> UInt64 {
        switch self {
        case .replace(let rows): try await adapter.performUpdates(rows.map { Row($0.id, $0.type, $0.fields) })
        case .apply(let removed, let upserts):
            try await adapter.applyChanges(
                remove: removed, upserts.map { Upsert($0.row.id, $0.row.type, $0.position, $0.anchor, $0.row.fields) })
        case .move(let id, let position, let anchor): try await adapter.moveObject(id, position, anchor)
        case .patch(let id, let fields): try await adapter.patchObject(id, fields)
        }
    }

    /// Returns a random operation for a list with these rows.
    static func random(for rows: [ObjectRow], using random: inout SeededRandom) -> ListChange {
        let new = ObjectRow(id: "n\(random.next() % 100_000)", type: "t", fields: ["v": .uint64(random.next())])
        guard rows.count > 2, let some = random.pick(rows), let other = random.pick(rows) else {
            return .apply(removed: [], upserts: [(new, "last", "")])
        }
        switch random.next() % 6 {
        case 0:
            var all = rows.filter { _ in !random.chance(oneIn: 5) }
            if all.count > 30 { all.removeLast(20) }
            all.insert(new, at: Int.random(in: 0...all.count, using: &random))
            return .replace(all.count > 1 && random.chance(oneIn: 2) ? [all[all.count - 1]] + all.dropLast() : all)
        case 1 where some.id != other.id: return .move(some.id, random.pick(["before", "after"]) ?? "before", other.id)
        case 2: return .patch(some.id, ["v": .uint64(random.next()), "p": .string("patched")])
        case 3: return .apply(removed: [some.id], upserts: [(new, "first", "")])
        case 4:
            var changed = some
            changed.fields["v"] = .uint64(random.next())
            return .apply(removed: [], upserts: [(changed, "keep", ""), (new, "after", some.id)])
        default: return .apply(removed: [], upserts: [(new, random.pick(["first", "last"]) ?? "last", "")])
        }
    }

    /// Returns the list after the operation, as the contract defines it.
    func applied(to old: [ObjectRow]) -> [ObjectRow] {
        var rows = old
        switch self {
        case .replace(let all):
            // The random id of the new object may exist already. Then the first of the two objects counts.
            var seen: Set<String> = []
            return all.filter { seen.insert($0.id).inserted }
        case .apply(let removed, let upserts):
            rows.removeAll { removed.contains($0.id) }
            for upsert in upserts { rows.place(upsert.row, upsert.position, upsert.anchor) }
        case .move(let id, let position, let anchor):
            if let row = rows.first(where: { $0.id == id }) { rows.place(row, position, anchor) }
        case .patch(let id, let fields):
            for index in rows.indices where rows[index].id == id { rows[index].fields.merge(fields) { $1 } }
        }
        return rows
    }
}

extension [ObjectRow] {
    fileprivate mutating func place(_ row: ObjectRow, _ position: String, _ anchor: String) {
        let present = firstIndex { $0.id == row.id }
        if let present, position == "keep" || anchor == row.id {
            self[present] = row
            return
        }
        if let present { remove(at: present) }
        let place = firstIndex { $0.id == anchor }
        switch (position, place) {
        case ("first", _): insert(row, at: 0)
        case ("before", let place?): insert(row, at: place)
        case ("after", let place?): insert(row, at: place + 1)
        default: append(row)
        }
    }
}
