// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable @_spi(Daemon) import ListKit

@Suite("coalescer_visibility_map.json: flush times, visibility, lookups of sections")
struct CoalescerVectorTests {
    static func vectors(_ group: String, _ key: String) throws -> [JSON] {
        try Vectors.load("coalescer_visibility_map")[group]?[key]?.array ?? []
    }

    static func configuration(_ json: JSON?) -> ListOptions.Coalescing {
        guard let json, !json.isNull else { return ListOptions.Coalescing() }
        func milliseconds(_ key: String) -> UInt64 { UInt64((json[key]?.number ?? 0) * 1000) }
        return ListOptions.Coalescing(
            minimum: milliseconds("minInterval"), maximum: milliseconds("maxInterval"),
            increment: milliseconds("intervalIncrement"),
            usesMaximumWhenNotVisible: json["useMaxIntervalWhenViewNotVisible"]?.boolean == true)
    }

    @Test(
        "several requests arrive at one time → they cause one flush; the coalescing options are read back unchanged",
        .rule("CO-01...CO-03"),
        arguments: try vectors("coalescer", "cases"))
    func oneTurn(vector: JSON) throws {
        let configuration = Self.configuration(vector["config"])
        let list = TestHost(try objects("a")) { $0.coalescing = configuration }
        #expect(list.adapter.configuration.coalescing == configuration)
        for index in (vector["script"]?.array ?? []).indices {
            list.enqueue(.performUpdates(objects: try objects("b\(index)")))
        }
        var fired = 0
        while list.adapter.flushTiming != .idle {
            _ = list.adapter.flushNow()
            fired += 1
        }
        #expect(fired == vector["expected"]?["fired"]?.integer)
    }

    @Test(
        "requests arrive on a virtual clock → flushes occur at the times of the test vector", .rule("CO-04...CO-11"),
        arguments: try vectors("coalescer", "derivedFromSource"))
    func clock(vector: JSON) {
        var coalescer = UpdateCoalescer(configuration: Self.configuration(vector["config"]))
        func milliseconds(_ key: String) -> [UInt64] {
            (vector[key]?.array ?? []).compactMap(\.number).map { UInt64($0 * 1000) }
        }
        var fired: [UInt64] = []
        func fire(before limit: UInt64) {
            if case .at(let time) = coalescer.timing, time <= limit {
                fired.append(time)
                coalescer.recordFlushStart(now: time)
            }
        }
        for time in milliseconds("queueTimes") {
            fire(before: time)
            coalescer.requestFlush(now: time, isVisible: vector["visible"]?.boolean == true)
            if coalescer.timing == .now {
                fired.append(time)
                coalescer.recordFlushStart(now: time)
            }
        }
        fire(before: .max)
        #expect(fired == milliseconds("fireTimes"))
    }

    @Test(
        "layers cover a widget → its visibility is that of the test vector", .rule("VV-01...VV-11"),
        arguments: try vectors("visibility", "cases"))
    func visibility(vector: JSON) {
        let interval = UInt64(vector["earlyInterval"]?.integer ?? 1) * 1000
        let tracker = ListVisibilityTracker(now: 5000, earlyInterval: interval)
        func alpha(_ json: JSON?) -> Double {
            json?.number
                ?? (json?.string == "FLT_EPSILON/2"
                    ? Double(Float.ulpOfOne) / 2 : json?.string == "FLT_EPSILON" ? Double(Float.ulpOfOne) : 1)
        }
        func layer(_ hidden: String, _ opacity: String) -> ListVisibilityTracker.Layer {
            .init(isHidden: vector[hidden]?.boolean == true, alpha: alpha(vector[opacity]))
        }
        let layers = [
            layer("hidden", "alpha"), layer("parentHidden", "parentAlpha"), layer("windowHidden", "windowAlpha"),
        ]
        let age: UInt64 = vector["age"] == nil ? interval + 1000 : 0
        let state = tracker.state(layers: vector["inWindow"]?.boolean == true ? layers : nil, now: 5000 + age)
        #expect("\(state)" == vector["expected"]?.string)
    }

    @Test(
        "sections are looked up by object and by number → existing ones are found, and others are not",
        .rule("SM-01...SM-12"))
    func sectionMap() throws {
        let list = TestHost(try objects("a", "b", "c"))
        let adapter = list.adapter
        let controllers = (0..<3).compactMap { adapter.sectionController(at: $0) }
        for section in 0..<3 {
            #expect(adapter.section(forID: ["a", "b", "c"][section]) == section)
            #expect(adapter.object(at: section)?.id == ["a", "b", "c"][section])
        }
        #expect(controllers.count == 3)
        #expect(adapter.sectionController(forID: "x") == nil && adapter.section(forID: "x") == nil)
        #expect(adapter.object(at: 3) == nil && adapter.object(at: -1) == nil)
        #expect(adapter.itemCount(inSection: -1) == nil && adapter.sectionController(at: 9) == nil)
        try list.update(objects("b"))
        #expect(adapter.section(forID: "b") == 0 && adapter.objectCount == 1)
    }
}
