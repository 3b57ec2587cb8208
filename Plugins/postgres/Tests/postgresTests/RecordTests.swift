// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import postgres

@Suite("Parsing a row in PostgreSQL's text format")
struct RecordTests {
    @Test(
        "a row with plain, quoted, empty and NULL fields is parsed → the fields have their original values",
        arguments: [
            ("(773:773:,7/a-b,1:2)", ["773:773:", "7/a-b", "1:2"]),
            (#"("7:9:7,8",7/a,"1:2,2:-1")"#, ["7:9:7,8", "7/a", "1:2,2:-1"]),
            (#"(7:7:,,"")"#, ["7:7:", nil, ""]),
        ] as [(String, [String?])])
    func fields(_ row: String, _ expected: [String?]) {
        #expect(QueryResult.fields(of: row) == expected)
    }
}
