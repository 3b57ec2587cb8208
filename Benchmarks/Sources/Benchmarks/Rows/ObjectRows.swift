// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// Benchmarks of creating objects.
enum ObjectRows {
    static var all: [(name: String, make: () -> Benchmark)] { [("objects made", creationBenchmark)] }

    /// Measures the creation of objects with two fields, compared with a plain class that holds the same data.
    private static func creationBenchmark() -> Benchmark {
        var benchmark = Benchmark("objects made")
        let ids = Lists.identifiers(Array(0..<10_000))
        benchmark.add("10,000 objects of two fields") {
            let objects = ids.map { id in
                try? ListObject(id: id, type: "row", fields: ["n": .int64(7), "title": .string(id)])
            }
            return objects.count
        }
        benchmark.add("10,000 objects of two fields, decoded") { decoded(ids) }
        benchmark.add("10,000 plain instances") {
            ids.map { PlainObject(id: $0, type: "row", fields: ["n": .int64(7), "title": .string($0)]) }.count
        }
        benchmark.expect(
            "an object of two fields is made", "10,000 objects of two fields", atMost: 1,
            times: "10,000 plain instances")
        return benchmark
    }

    /// Makes objects from bytes that are read one by one, as they are read from a message.
    private static func decoded(_ ids: [String]) -> Int {
        var encoder = FieldsEncoder()
        let type = ObjectType.named("row")
        let (number, title) = (Array("n".utf8), Array("title".utf8))
        let objects = ids.map { id in
            try? encoder.appendField(number.span, bits: 7, type: .int64)
            try? encoder.appendField(title.span, text: id.utf8Span.span)
            return try? encoder.finishObject(id: id.utf8Span.span, type: type)
        }
        return objects.count
    }
}

/// The plain class of a program that does not use the library.
private final class PlainObject {
    let id: String
    let type: String
    let fields: [String: Value]

    init(id: String, type: String, fields: [String: Value]) {
        self.id = id
        self.type = type
        self.fields = fields
    }
}
