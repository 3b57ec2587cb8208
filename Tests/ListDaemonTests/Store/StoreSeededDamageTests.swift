// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListDaemon
@_spi(Daemon) import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// Damages of the files of a store, from seeds: whatever happens to them, clients never see a revision with other
/// contents under the same epoch, and no list is lost or set back without a line that names it.
@Suite("A store under seeded damages", .serialized, .timeLimit(.minutes(60)))
struct StoreSeededDamageTests {
    /// The first seed and the number of damages.
    private static let (first, count): (UInt64, Int) = {
        let variables = ProcessInfo.processInfo.environment
        let first = variables["LISTD_DAMAGE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...(.max >> 1))
        return (first, variables["LISTD_SOAK"] == "1" ? 1000 : 40)
    }()

    /// Seeds that have found a fault: with this one, SQLite reads some rows of a database whose schema is damaged.
    private static let known: [UInt64] = [6_685_034_657_767_757_357]

    @Test(
        "files are flipped, cut, swapped, copied and removed → no revision comes twice, no loss is silent",
        .rule("DU-08"))
    func damages() async throws {
        var figures: [String: Int] = [:]
        for seed in Self.known + (0..<Self.count).map({ Self.first + UInt64($0) }) {
            let outcome = try await DamagedRun(seed: seed).perform()
            figures[outcome, default: 0] += 1
        }
        let text = figures.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
        print("\(Self.count) damages from seed \(Self.first): \(text)")
        #expect(figures.values.reduce(0, +) == Self.known.count + Self.count)
    }
}

/// One damage between two runs, or during one.
private final class DamagedRun {
    /// What clients may have seen of a list at a revision of an epoch.
    private struct Place: Hashable {
        let name: String
        let epoch: String
        let revision: UInt64
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let directory = TemporaryDirectory()
    private var seen: [Place: [ListObject]] = [:]
    /// The state that was acknowledged last.
    private var lists: [String: (epoch: String, model: ModelList)] = [:]
    private var file: String { directory.file(SQLiteStore.fileName) }

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// Runs, damages, and runs again; returns the kind of the damage and of the outcome.
    func perform() async throws -> String {
        try await run(isKilled: random.chance(oneIn: 2))
        // A copy from between the runs, to go back to.
        let earlier = copyFiles()
        if random.chance(oneIn: 2) { try await run(isKilled: random.chance(oneIn: 2)) }
        let moment = pick(["before", "while", "after"])
        var kind = ""
        switch moment {
        case "before": kind = try damage(earlier)
        case "while":
            let opened = try open()
            try await note(opened)
            try await write(to: opened.store, count: 3)
            kind = try damage(earlier)
            // Writes may fail from now on.
            try? await write(to: opened.store, count: 3)
            let remains = copyFiles()
            await opened.store.close()
            if random.chance(oneIn: 2) { putBack(remains) }
        default:
            try await run(isKilled: false)
            kind = try damage(earlier)
        }
        let outcome = try await check(kind)
        return "\(kind) → \(outcome)"
    }

    // MARK: Runs

    private func open() throws(ListError) -> OpenedStore {
        try SQLiteStore.open(directory: directory.path, boot: "this")
    }

    private func run(isKilled: Bool) async throws {
        let opened = try open()
        try await note(opened)
        try await write(to: opened.store, count: Int.random(in: 3...12, using: &random))
        let files = copyFiles()
        await opened.store.close()
        // The same files, as a kill leaves them: their contents go back into the same inodes where those are left.
        if isKilled { putBackContents(files) }
    }

    private func note(_ opened: OpenedStore) async throws {
        for list in opened.adapters {
            record(list)
            lists[list.adapter.name] = (list.adapter.epoch, ModelList(objects: list.objects, revision: list.revision))
        }
    }

    private func record(_ list: RestoredAdapter) {
        let place = Place(name: list.adapter.name, epoch: list.adapter.epoch, revision: list.revision)
        if let before = seen[place] {
            #expect(before == list.objects, "seed \(seed): \(place) has other contents")
        }
        seen[place] = list.objects
    }

    private func write(to store: SQLiteStore, count: Int) async throws {
        if lists.isEmpty {
            for number in 0..<10 { try await create("list \(number)", in: store) }
        }
        for _ in 0..<count {
            if random.chance(oneIn: 12), lists.count > 3 {
                let name = pick(lists.keys.sorted())
                try await store.write(.remove(name: name))
                lists[name] = nil
            } else if random.chance(oneIn: 12) {
                try await create("new \(random.next())", in: store)
            } else {
                try await update(pick(lists.keys.sorted()), in: store)
            }
        }
    }

    private func create(_ name: String, in store: SQLiteStore) async throws {
        let epoch = Epoch.random()
        try await store.write(.create(adapter(name, epoch: epoch)))
        lists[name] = (epoch, ModelList())
        seen[Place(name: name, epoch: epoch, revision: 0)] = []
    }

    private func update(_ name: String, in store: SQLiteStore) async throws {
        guard let epoch = lists[name]?.epoch, var model = lists[name]?.model else { return }
        var content = try model.transaction(&random)
        if random.chance(oneIn: 6) {
            content = .replace(
                try (0..<60).map {
                    try ListObject(
                        id: "l\($0)", fields: ["v": .string(String(repeating: "\(random.next() % 10)", count: 900))])
                })
        }
        model.apply(content)
        let logged = Transaction(
            baseRevision: model.revision - 1, revision: model.revision, kind: .update, animated: true,
            sectionCount: model.objects.count, itemCount: model.objects.count)
        // Clients see the revision only when it is stored, but it may be in the files even if the write fails.
        try await store.write(
            .update(
                name: name,
                StoreWrite(
                    content, log: [logged], oldestRevision: model.revision > 8 ? model.revision - 8 : 0,
                    revision: model.revision, limit: model.revision)))
        lists[name] = (epoch, model)
        seen[Place(name: name, epoch: epoch, revision: model.revision)] = model.objects
    }

    // MARK: Damages

    private func copyFiles() -> [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: directory.file($0)) ?? Data()) }
        )
    }

    /// Puts copies in the place of all files, as `cp -a` does.
    private func putBack(_ files: [String: Data]) {
        for name in copyFiles().keys { unsafe unlink(directory.file(name)) }
        for (name, bytes) in files {
            _ = FileManager.default.createFile(atPath: directory.file(name), contents: bytes)
        }
    }

    /// Writes the contents of copies into the files, which keep their inodes.
    private func putBackContents(_ files: [String: Data]) {
        for (name, bytes) in files { try? bytes.write(to: URL(fileURLWithPath: directory.file(name))) }
    }

    /// Damages the files in one of the ways of an administrator, a disk or a cosmic ray; returns which.
    private func damage(_ earlier: [String: Data]) throws -> String {
        let now = copyFiles()
        let names = [
            SQLiteStore.fileName, SQLiteStore.fileName + "-wal", "store.mark", SQLiteStore.fileName + "-reserve",
        ]
        .filter { now[$0]?.isEmpty == false }
        let name = pick(names)
        var bytes = now[name] ?? Data()
        let kind = pick(["flip", "flip", "flip", "cut", "swap", "copy", "earlier", "remove"])
        switch kind {
        case "flip":
            for _ in 0..<pick([1, 1, 4, 40]) {
                let end = random.chance(oneIn: 4) ? min(bytes.count, 120) : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
            }
            try bytes.write(to: URL(fileURLWithPath: directory.file(name)))
        case "cut":
            let size = off_t.random(in: 0..<off_t(bytes.count), using: &random)
            try #require(unsafe truncate(directory.file(name), size) == 0)
        case "swap":
            // An earlier file in the place of this one: another inode, or the same.
            guard let old = earlier[name], old != bytes else { return "none" }
            if random.chance(oneIn: 2) { unsafe unlink(directory.file(name)) }
            try old.write(to: URL(fileURLWithPath: directory.file(name)))
        case "copy": putBack(now)
        case "earlier": putBack(earlier)
        default: unsafe unlink(directory.file(name))
        }
        return "\(kind) \(["copy", "earlier"].contains(kind) ? "all" : name)"
    }

    // MARK: Checks

    private func check(_ kind: String) async throws -> String {
        let opened: OpenedStore
        do throws(ListError) {
            opened = try open()
        } catch {
            // A damaged version number looks like that of a newer listd. Nothing is changed or lost.
            #expect(error.code == .storeFailed, "seed \(seed): \(error)")
            #expect(kind.hasPrefix("flip") && error.message.contains("newer listd"), "seed \(seed): \(kind): \(error)")
            return "refused"
        }
        for list in opened.adapters { record(list) }
        let found = Dictionary(uniqueKeysWithValues: opened.adapters.map { ($0.adapter.name, $0) })
        let said = (opened.lost + opened.news).joined(separator: "\n")
        let isUnnamed = said.contains("names cannot be read") || kind.hasSuffix("store.mark")
        var outcome = opened.lost.isEmpty ? "nothing lost" : "reported"
        for (name, (epoch, model)) in lists {
            let list = found[name]
            guard list?.objects != model.objects || list?.revision != model.revision else {
                continue
            }
            outcome = list == nil || outcome == "lists lost" ? "lists lost" : "changes lost"
            #expect(
                said.contains("“\(name)”") || isUnnamed || (kind == "earlier all" && list == nil),
                "seed \(seed): \(kind): \(name) at \(model.revision) is \(list.map { "at \($0.revision)" } ?? "lost") in silence:\n\(said)"
            )
            #expect(!opened.lost.isEmpty, "seed \(seed): \(kind): nothing stays in sight of \(name)")
            #expect(list?.adapter.epoch != epoch, "seed \(seed): \(kind): \(name) is set back within its epoch")
        }
        // What is left works, and the losses stay in sight.
        lists = [:]
        try await note(opened)
        try await write(to: opened.store, count: 5)
        #expect(try await opened.store.faults().isEmpty, "seed \(seed): \(kind)")
        await opened.store.close()
        let again = try open()
        #expect(again.losses == opened.losses && again.news.isEmpty, "seed \(seed): \(kind): \(again.news)")
        for list in again.adapters { record(list) }
        #expect(
            Set(again.adapters.map { "\($0.adapter.name) \($0.revision)" })
                == Set(lists.map { "\($0.key) \($0.value.model.revision)" }), "seed \(seed): \(kind)")
        await again.store.close()
        return outcome
    }
}
