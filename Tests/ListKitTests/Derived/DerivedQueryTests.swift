// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import TestSupport
import Testing

@Suite("Queries of derived lists")
struct DerivedQueryTests {
    @Test("an argument has every key → all keys are parsed, and their values are percent-decoded")
    func keys() throws {
        let query = try DerivedQuery(parsing: "contains=100%25%26%C3%A4&in=a%2Cb,c&type=x%20y&sort=-%2Dsize&limit=20")
        #expect(query.search == TextSearch("100%&ä", in: ["a,b", "c"]))
        #expect(query.type == "x y")
        #expect(query.sort == DerivedSort(field: "-size", isDescending: true))
        #expect(query.limit == 20)
    }

    @Test("an argument is empty → its query matches all objects; its values are empty → they are accepted")
    func empty() throws {
        #expect(try DerivedQuery(parsing: "") == DerivedQuery())
        let query = try DerivedQuery(parsing: "contains=&in=&limit=0&type=")
        #expect(query.search == TextSearch(""))
        #expect(query.limit == 0)
        #expect(query.type == "")
        #expect(try DerivedQuery(parsing: "sort=%C3%A9").sort == DerivedSort(field: "é"))
    }

    @Test(
        "a query is malformed → the error names the wrong key", .rule("FO-02"),
        arguments: [
            ("foo=1", "foo"), ("contains=a&contains=b", "contains"), ("limit=-1", "limit"),
            ("limit=4294967296", "limit"),
            ("limit=", "limit"), ("limit=+1", "limit"), ("limit", "limit"), ("sort=", "sort"), ("sort=-", "sort"),
            ("contains=%4", "contains"), ("contains=%zz", "contains"), ("in=%FF", "in"), ("type=%00", "type"),
            ("contains=a&", "“”"), ("&", "“”"), ("Contains=a", "Contains"), ("contains=%ED%A0%80", "contains"),
        ])
    func faults(_ fault: (argument: String, name: String)) throws {
        let error = try #require(throws: ListError.self) { try DerivedQuery(parsing: fault.argument) }
        #expect(error.code == .invalidArguments)
        #expect(error.message.contains(fault.name))
    }

    @Test("a key has 16 MiB → the error has a short message")
    func longKey() throws {
        let key = String(repeating: "k", count: 16 << 20)
        let error = try #require(throws: ListError.self) { try DerivedQuery(parsing: key + "=1") }
        #expect(error.message.utf8.count <= 1024)
    }

    @Test("names have every possible byte → they are unchanged after encoding and decoding")
    func encoding() throws {
        let name = String((1..<0x180).compactMap { Unicode.Scalar($0).map(Character.init) })
        let encoded = PercentEncoding.encode(name)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(try PercentEncoding.decode(encoded.utf8, of: "NAME").utf8.elementsEqual(name.utf8))
        #expect(PercentEncoding.encode("Az09-._~") == "Az09-._~")
    }

    @Test("values of every type are sorted → numbers by value, texts by code point, all others by their encoding")
    func order() throws {
        let ascending: [Value?] = [
            .double(-.infinity), .int64(.min), .int32(-5), .double(-0.5), .int64(0), .byte(1), .double(1.5), .uint16(2),
            .int64((1 << 53) + 1), .double(9_007_199_254_740_994), .int64(.max), .uint64(1 << 63), .uint64(.max),
            .double(0x1p64), .double(.infinity), "", "A", "Z", "a", "é", "\u{FFFF}", "😀",
        ]
        let rest: [Value?] = [true, nil, .objectPath("/a"), .double(.nan), .signature("s"), .variant(5), ["x"]]
        #expect(try sorted(ascending.shuffledOnce() + rest, descending: false) == ascending + rest)
        #expect(try sorted(rest + ascending.shuffledOnce(), descending: true) == ascending.reversed() + rest)
        #expect(try sorted([.double(2), .int64(2), .double(-0.0), .byte(0)], descending: false).count == 4)
    }

    private func sorted(_ values: [Value?], descending: Bool) throws -> [Value?] {
        let list = DerivedList(try DerivedQuery(parsing: "sort=\(descending ? "-" : "")v"))
        let objects = try values.enumerated().map { index, value in
            var fields = Fields()
            fields["v"] = value
            return try ListObject(id: "id\(index)", fields: fields)
        }
        list.append(objects, from: 0, total: objects.count)
        return list.visible.map { $0.fields["v"] }
    }
}

extension Array {
    /// Returns the elements in a shuffled order, the same in each run.
    fileprivate func shuffledOnce() -> Array { indices.map { self[($0 * 7 + 3) % count] } }
}
