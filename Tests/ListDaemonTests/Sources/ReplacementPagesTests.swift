// SPDX-License-Identifier: Apache-2.0

import ListKit
import PluginAPI
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Replacing a whole list in pages")
struct ReplacementPagesTests {
    private func objects(_ count: Int) throws -> [ListObject] {
        try (0..<count).map {
            try ListObject(id: "\($0)", fields: ["text": .string(String(repeating: "x", count: 100))])
        }
    }

    private func text(_ event: SourceEvent) -> String {
        switch event {
        case .replacementBegan: "began"
        case .page(let objects): "page of \(objects.count)"
        case .replacementEnded: "ended"
        case .replace(let objects): "replace \(objects.count)"
        case .upTo(let progress, let event): "\(text(event)) up to \(progress.position ?? "")"
        default: "other"
        }
    }

    @Test(
        "a list of many bytes is replaced in pages → each page has few bytes, and together they have the same objects")
    func parts() throws {
        let all = try objects(1000)
        let most = 10 * all[0].byteCount
        let parts = SourceEvent.upTo(DataSourceProgress(position: "p"), .replace(all)).parts(ofBytes: most)
        #expect(parts.first.map(text) == "began" && parts.last.map(text) == "ended up to p")
        var pages = ReplacementPages()
        for case .page(let page) in parts {
            #expect(page.reduce(0) { $0 + $1.byteCount } <= most + all[0].byteCount + 8)
            try pages.append(page, within: .unlimited)
        }
        #expect(pages.objects == all && parts.count > 80)
        #expect(SourceEvent.replace(all).parts(ofBytes: .max).map(text) == ["replace 1000"])
        #expect(SourceEvent.replace([]).parts(ofBytes: 1).map(text) == ["replace 0"])
        #expect(SourceEvent.page(all).parts(ofBytes: .max).map(text) == ["page of 1000"])
        #expect(SourceEvent.page(Array(all[..<2])).parts(ofBytes: 1).map(text) == ["page of 1", "page of 1"])
        #expect(SourceEvent.page([]).parts(ofBytes: 1).map(text) == ["page of 0"])
    }

    @Test(
        "pages have more objects or bytes than the list allows → they are refused, and the former objects stay",
        arguments: [true, false])
    func limits(byObjects: Bool) throws {
        let all = try objects(10)
        let bytes = all.reduce(0) { $0 + $1.byteCount }
        let room = Quotas.Amounts(objects: byObjects ? 10 : 100, bytes: byObjects ? .max : bytes)
        var pages = ReplacementPages()
        try pages.append(all, within: room)
        let error = #expect(throws: ListError.self) { try pages.append(Array(all[..<1]), within: room) }
        #expect(error?.code == .limitsExceeded)
        #expect(error?.message.contains(byObjects ? "ObjectsPerUser" : "BytesPerUser") == true)
        #expect(pages.objects == all)
    }
}
