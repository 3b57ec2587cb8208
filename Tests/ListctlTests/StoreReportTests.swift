// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import listctl

@Suite("StoreReport: the result of listctl check")
struct StoreReportTests {
    @Test(
        "a dump has a store section → the report has its lines and says whether the store is healthy",
        arguments: [
            ("listd 1\nstore: /a b/listd.db, 4096 bytes, integrity ok\nstatistics:\n", 1, true),
            ("store: /s.db, 9 bytes, 2 faults\nstore fault: row 1\nstore fault: row 2\nplugins:\n", 3, false),
            ("store: /integrity ok/s.db, 9 bytes, 1 faults\nstore fault: x, integrity ok\n", 2, false),
            ("store: /s.db, StoreFailed: disk I/O error\n", 1, false),
            ("store: none, lists live in memory\nplugins:\nstore: x, integrity ok\n", 1, false),
            ("store: /s.db, 9 bytes, integrity ok\nplugins:\nstore fault: of a plugin\n", 1, true),
            ("listd 1\n", 0, false), ("", 0, false),
        ])
    func report(dump: String, lines: Int, isHealthy: Bool) {
        let report = StoreReport(dump: dump)
        #expect(report.lines.count == lines)
        #expect(report.isHealthy == isHealthy)
    }
}
