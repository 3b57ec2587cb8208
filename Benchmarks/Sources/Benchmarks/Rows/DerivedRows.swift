// SPDX-License-Identifier: Apache-2.0

internal import Glibc
@_spi(Daemon) internal import ListKit

/// Benchmarks of derived lists of a list with a million objects: the first pass, a change, and a filter whose text is
/// being typed.
enum DerivedRows {
    static var all: [(name: String, make: () -> Benchmark)] {
        [("derived pass", passBenchmark), ("derived change", changeBenchmark), ("derived typing", typingBenchmark)]
    }

    private static let million = 1_000_000
    private static let wanted = "needle"

    /// Returns a text like a row of mail. One of a thousand texts contains the searched word.
    static func text(_ number: Int, isASCII: Bool) -> String {
        let words = isASCII ? "Invoice of the second quarter, Number" : "Größe der Übersicht für den Käufer, Nummer"
        return "\(words) \(number)" + (number % 1000 == 7 ? " NEEDLE" : "")
    }

    private static func objects(isASCII: Bool) -> [ListObject] {
        (0..<million).compactMap { number in
            try? ListObject(
                id: Lists.identifier(number), type: "row",
                fields: ["n": .int64(Int64(number)), "title": .string(text(number, isASCII: isASCII))])
        }
    }

    private static func query(_ argument: String) -> DerivedQuery {
        guard let query = try? DerivedQuery(parsing: argument) else { fatalError("the query “\(argument)” is invalid") }
        return query
    }

    /// Measures all pages of the first pass until the derived list is complete, compared with a loop that folds and
    /// searches the texts.
    private static func passBenchmark() -> Benchmark {
        var benchmark = Benchmark("derived pass")
        for isASCII in [true, false] {
            let list = objects(isASCII: isASCII)
            let texts = (0..<million).map { Array(text($0, isASCII: isASCII).utf8) }
            let kind = isASCII ? "ASCII" : "text with umlauts"
            benchmark.add("first pass, \(kind)") {
                let derived = DerivedList(query("contains=\(wanted)"))
                for start in stride(from: 0, to: list.count, by: 4096) {
                    derived.append(Array(list[start..<min(start + 4096, list.count)]), from: start, total: list.count)
                }
                return derived.visible.count
            }
            benchmark.add("bare loop, \(kind)") { isASCII ? countHitsInASCII(texts) : countHits(texts) }
            benchmark.expect(
                "first pass of contains over 1,000,000 objects, \(kind)", "first pass, \(kind)", atMost: 1.5,
                times: "bare loop, \(kind)")
        }
        return benchmark
    }

    /// Folds the case of each ASCII text into a buffer, and searches the buffer with the C library. Returns the
    /// number of hits.
    private static func countHitsInASCII(_ texts: [[UInt8]]) -> Int {
        let wanted = Array(wanted.utf8)
        var buffer = [UInt8](repeating: 0, count: 4096)
        var found = 0
        for text in texts {
            for position in text.indices {
                let byte = text[position]
                buffer[position] = byte &- 65 < 26 ? byte | 32 : byte
            }
            found += contains(wanted, in: buffer, count: text.count) ? 1 : 0
        }
        return found
    }

    /// Folds the case of each text with the standard library, as a program does for text beyond ASCII, and searches
    /// it. Returns the number of hits.
    private static func countHits(_ texts: [[UInt8]]) -> Int {
        let wanted = Array(wanted.utf8)
        var found = 0
        for text in texts {
            let folded = Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
            found += contains(wanted, in: folded, count: folded.count) ? 1 : 0
        }
        return found
    }

    /// Whether a text contains another one. The C library finds the first byte and compares the others.
    private static func contains(_ wanted: [UInt8], in text: [UInt8], count: Int) -> Bool {
        text.withUnsafeBytes { text in
            wanted.withUnsafeBytes { wanted in
                guard var place = text.baseAddress, let start = wanted.baseAddress else { return false }
                var places = count - wanted.count + 1
                while places > 0, let found = memchr(place, Int32(wanted[0]), places) {
                    if memcmp(found, start, wanted.count) == 0 { return true }
                    places -= UnsafeRawPointer(found) - place + 1
                    place = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }

    /// Measures a change of one object in an engine, and the same change with a derived list and the engine that
    /// shows it.
    private static func changeBenchmark() -> Benchmark {
        var benchmark = Benchmark("derived change")
        for argument in ["contains=number&sort=n", "contains=number", "sort=-n&limit=100"] {
            let alone = FollowedEngine(objects(isASCII: true), nil)
            let followed = FollowedEngine(objects(isASCII: true), query(argument))
            benchmark.add("change, \(argument), alone", iterations: 500) { alone.changeNextObject() }
            benchmark.add("change, \(argument)", iterations: 500) { followed.changeNextObject() }
            benchmark.expect(
                "one object of 1,000,000 changes, followed with \(argument)", "change, \(argument)", atMost: 3,
                times: "change, \(argument), alone")
        }
        return benchmark
    }

    /// Measures a filter's text that grows by a letter five times. Each letter is a case.
    private static func typingBenchmark() -> Benchmark {
        var benchmark = Benchmark("derived typing")
        let list = objects(isASCII: true)
        let derived = DerivedList(query("sort=-n"))
        derived.append(list, from: 0, total: list.count)
        derived.prepare()
        for count in 1...5 {
            let text = String(wanted.prefix(count))
            benchmark.add(
                "typed “\(text)”",
                prepare: {
                    derived.setQuery(query("contains=\(wanted.prefix(count - 1))&sort=-n"))
                    _ = derived.dequeueChange()
                }
            ) {
                derived.setQuery(query("contains=\(text)&sort=-n"))
                guard case .replace(let objects) = derived.dequeueChange() else { return 0 }
                return objects.count
            }
        }
        return benchmark
    }
}

/// An engine whose list changes and, optionally, a second engine that shows a derived list of the first list.
private final class FollowedEngine {
    private let base: ListAdapter
    private let derived: DerivedList?
    private let shown: ListAdapter?
    private let count: Int
    private var step = 0

    init(_ objects: [ListObject], _ query: DerivedQuery?) {
        count = objects.count
        base = FollowedEngine.makeEngine(objects)
        derived = query.map { DerivedList($0) }
        derived?.append(objects, from: 0, total: objects.count)
        if case .replace(let visible)? = derived?.dequeueChange() {
            shown = FollowedEngine.makeEngine(visible)
        } else {
            shown = nil
        }
        derived?.prepare()
    }

    private static func makeEngine(_ objects: [ListObject]) -> ListAdapter {
        ListAdapter(
            configuration: Lists.configuration, controllers: BuiltInSectionControllerProvider(),
            objects: objects)
    }

    /// Changes the text of the next object, and every second time also its place in the order of the derived list.
    func changeNextObject() -> Int {
        step += 1
        let number = (step &* 7919) % count
        let order = step % 2 == 0 ? number : (number &* 31) % count
        let before = base.object(at: number)
        flush(
            base,
            performing: .patchObject(
                id: Lists.identifier(number),
                set: ["title": .string("Another number \(step)"), "n": .int64(Int64(order))], unset: []))
        guard let derived, let shown, let object = base.object(at: number) else { return step }
        var change = Change()
        change.updated = [(number, before, object)]
        follow(change, derived, shown)
        return step
    }

    private func flush(_ adapter: ListAdapter, performing operation: UpdateRequest.Operation) {
        adapter.enqueue(UpdateRequest(id: 1, operation: operation), now: 0)
        _ = adapter.flushNow()
    }

    private func follow(_ change: Change, _ derived: DerivedList, _ shown: ListAdapter) {
        derived.apply(change)
        switch derived.dequeueChange() {
        case .changes(let removed, let upserts):
            flush(shown, performing: .applyChanges(removed: removed, upserts: upserts))
        case .replace(let objects): flush(shown, performing: .performUpdates(objects: objects))
        case nil: break
        }
    }
}
