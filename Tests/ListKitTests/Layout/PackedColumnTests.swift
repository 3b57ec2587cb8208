// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListKit

@Suite("Packed columns and pages that store a layout's numbers")
struct PackedColumnTests {
    @Test(
        "whole numbers are stored → they are read back unchanged, and take as few bytes as possible",
        arguments: [
            [], [7], [5, 5, 5], [0, 255], [-1, 255], [256, 0], [Int64(Int32.min), Int64(Int32.max)],
            [Int64(Int32.max) + 1, 0], [.min, .max],
        ] as [[Int64]])
    func wholeNumbers(_ values: [Int64]) {
        let packed = PackedIntegers(values[...])
        #expect(values.indices.map { packed[$0] } == values)
        switch packed {
        case .same: #expect(Set(values).count <= 1)
        case .bytes: #expect(values.allSatisfy { UInt8(exactly: $0) != nil })
        case .narrow:
            #expect(values.allSatisfy { Int32(exactly: $0) != nil } && values.contains { UInt8(exactly: $0) == nil })
        case .wide: #expect(values.contains { Int32(exactly: $0) == nil })
        }
    }

    @Test(
        "numbers of any kind are stored → they are read back unchanged",
        arguments: [
            [], [1.5], [2, 2], [0, 0.25], [0.1, 0.2], [1e12, -3], [.greatestFiniteMagnitude, 1],
        ] as [[Double]])
    func numbers(_ values: [Double]) {
        let packed = PackedDoubles(values)
        #expect(values.indices.map { packed[$0] } == values)
    }

    @Test("pages of numbers change → they equal an array, and the changes do not affect a copy")
    func pages() {
        var pages = PagedArray(Array(0..<200))
        let copy = pages
        for number in 200..<300 { pages.append(number) }
        for place in stride(from: 0, to: 300, by: 7) { pages[place] += 1000 }
        #expect(pages.indices.map { pages[$0] } == (0..<300).map { $0 % 7 == 0 ? $0 + 1000 : $0 })
        #expect(copy.indices.map { copy[$0] } == Array(0..<200))
    }

    @Test("lengths in points are stored in millionths of a point → decimal fractions are read back unchanged")
    func units() {
        let plain = LayoutScale(pixelsPerPoint: 0)
        for value in [0, 44.1, 33.333333, 0.1, -7.25, 1_234_567.891] {
            #expect(plain.points(plain.units(value)) == value)
        }
        let threefold = LayoutScale(pixelsPerPoint: 3)
        #expect(threefold.points(threefold.floor(threefold.units(0.5))) == 1 / 3.0)
        #expect(threefold.points(threefold.floor(threefold.units(-0.5))) == -2 / 3.0)
        #expect(threefold.points(threefold.ceil(threefold.units(0.5))) == 2 / 3.0)
        #expect(threefold.points(threefold.ceil(threefold.units(33))) == 33)
        #expect(threefold.points(threefold.floor(threefold.units(100.1 / 3 * 3))) == 100)
        for strange in [Double.nan, .infinity, -1] {
            #expect(LayoutScale(pixelsPerPoint: strange) == plain)
        }
    }
}
