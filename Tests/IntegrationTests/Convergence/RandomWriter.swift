// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// A writer of random transactions, one after the other.
@DBusActor
struct RandomWriter {
    private let adapter: RemoteObject
    private var random: SeededRandom
    private var ids: [String] = []
    private var step = 0
    /// The revision after the last transaction.
    private(set) var revision: UInt64 = 0

    init(_ adapter: RemoteObject, seed: UInt64) {
        self.adapter = adapter
        random = SeededRandom(seed: seed)
    }

    /// Sends one transaction, and retries while the queues of the bus are full.
    mutating func write() async throws {
        step += 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try await replace()
        case 1 where !ids.isEmpty: try await move()
        case 2 where !ids.isEmpty: try await patch()
        case 3: revision = try await call("ReloadObjects", random.pick(ids).map { [$0] } ?? [])
        default: try await change()
        }
    }

    private mutating func replace() async throws {
        var new = ids.filter { _ in !random.chance(oneIn: 8) }
        for number in 0..<Int.random(in: 0...6, using: &random) where new.count < 80 {
            new.insert("r\(step)-\(number)", at: Int.random(in: 0...new.count, using: &random))
        }
        if new.count > 1 { new.swapAt(0, Int.random(in: 0..<new.count, using: &random)) }
        let rows = new.map { Row($0, "row", fields()) }
        revision = try await call("PerformUpdates", UInt64(0), rows, [String: DBusValue]())
        ids = new
    }

    private mutating func change() async throws {
        let removed = ids.filter { _ in random.chance(oneIn: 25) }
        ids.removeAll { removed.contains($0) }
        var upserts: [Upsert] = []
        if let known = random.pick(ids) { upserts.append(Upsert(known, "row", "keep", "", fields())) }
        if ids.count < 80 {
            let anchor = random.pick(ids)
            upserts.append(Upsert("c\(step)", "row", anchor == nil ? "first" : "after", anchor ?? "", fields()))
            ids.insert("c\(step)", at: anchor.flatMap { ids.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        }
        revision = try await call("ApplyChanges", UInt64(0), removed, upserts, [String: DBusValue]())
    }

    private mutating func move() async throws {
        guard let id = random.pick(ids) else { return }
        revision = try await call("MoveObject", UInt64(0), id, "first", "")
        ids.removeAll { $0 == id }
        ids.insert(id, at: 0)
    }

    private mutating func patch() async throws {
        guard let id = random.pick(ids) else { return }
        revision = try await call("PatchObject", UInt64(0), id, fields(), ["gone"])
    }

    private mutating func fields() -> [String: DBusValue] {
        [
            "n": .int64(Int64(random.next() % 1000)),
            "height": .double([20, 44, 60.5][Int(random.next() % 3)]),
        ]
    }

    private func call<each Argument: DBusEncodable & Sendable>(
        _ member: String, _ arguments: repeat each Argument
    ) async throws -> UInt64 {
        while true {
            do throws(DBusError) {
                return try await adapter.call(member, repeat each arguments, returning: UInt64.self)
            } catch {
                // The bus refused to deliver the call. The test does not reach the daemon's own limits.
                guard error.standard == .limitsExceeded else { throw error }
            }
        }
    }
}
