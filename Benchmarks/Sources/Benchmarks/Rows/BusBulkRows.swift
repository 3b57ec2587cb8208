// SPDX-License-Identifier: Apache-2.0

extension BusRows {
    /// Measures `PerformUpdates` with a hundred thousand objects, of which every tenth has other fields than before.
    static func performUpdatesBenchmark() -> Benchmark {
        let count = 100_000
        let stage = BusStage()
        let adapter = BareAdapter(stage, "list")
        let tail = String(repeating: "x", count: 60)
        let messages = (0..<2).map { round in
            adapter.performUpdates(objectCount: count) { index in
                [("title", "row \(index % 10 == 0 ? round : 7) " + tail), ("subtitle", "under \(index)")]
            }
        }
        stage.client.call(messages[0].copy)
        var benchmark = Benchmark("perform updates")
        var round = 0
        benchmark.add(
            "PerformUpdates of \(count), listd alone", clock: { stage.daemon.time }, memoryOf: stage.daemonMemory
        ) {
            round += 1
            stage.client.call(messages[round % 2].copy)
            return round
        }
        benchmark.add("decode \(count) objects into Swift values") { BareObjects(messages[0]).objects.count }
        benchmark.expect(
            "`PerformUpdates` of 100,000 objects, 10 % changed", "PerformUpdates of \(count), listd alone",
            atMost: 1.5, times: "decode \(count) objects into Swift values")
        return benchmark
    }
}

/// The objects of a call of `PerformUpdates`, decoded with libdbus' iterator into types of Swift's standard library.
private struct BareObjects {
    struct Object {
        let id: String
        let type: String
        let fields: [String: String]
    }

    private(set) var objects: [Object] = []

    init(_ message: BareMessage) {
        var arguments = message.reader
        _ = arguments.advance()
        var rows = arguments.contentReader()
        while rows.type != 0 {
            var row = rows.contentReader()
            let id = row.string()
            _ = row.advance()
            let type = row.string()
            _ = row.advance()
            objects.append(Object(id: id, type: type, fields: Self.readFields(&row)))
            _ = rows.advance()
        }
    }

    private static func readFields(_ reader: inout BareReader) -> [String: String] {
        var fields: [String: String] = [:]
        var entries = reader.contentReader()
        while entries.type != 0 {
            var entry = entries.contentReader()
            let key = entry.string()
            _ = entry.advance()
            var value = entry.contentReader()
            fields[key] = value.string()
            _ = entries.advance()
        }
        return fields
    }
}
