// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListKit

@Suite("DiffTable")
struct DiffTableTests {
    @Test(
        "more elements have the same hash than a bucket has slots → every index is found, and no other index",
        arguments: [0, 0x1234_5678, UInt32.max] as [UInt32])
    func collisions(hash: UInt32) {
        DiffMemory.with(byteCount: 0) { memory in
            let table = DiffTable(count: 40, limit: 40, in: &memory)
            for index in 0..<40 { #expect(table.insert(index, hash: hash) { $0 == index } == nil) }
            for index in 0..<40 { #expect(table.find(hash: hash) { $0 == index }?.index == index) }
            #expect(table.find(hash: hash) { _ in false } == nil)
            #expect(table.find(hash: hash ^ 1 << 25) { _ in true } == nil)
        }
    }

    @Test("an element is equal to an element in the table → the new element's index replaces the former index")
    func replacing() {
        DiffMemory.with(byteCount: 4096) { memory in
            let table = DiffTable(count: 20, limit: 20, in: &memory)
            // The comparisons below accept every element, so hashes must differ in the bits that the table uses.
            func hash(_ index: Int) -> UInt32 { UInt32(index % 10) << 26 }
            for index in 0..<10 { _ = table.insert(index, hash: hash(index)) { $0 == index } }
            for index in 10..<20 { #expect(table.insert(index, hash: hash(index)) { _ in true } == index - 10) }
            for index in 10..<20 {
                let found = table.find(hash: hash(index)) { _ in true }
                #expect(found?.index == index)
                if let found { table.replace(at: found.position, with: 0) }
                #expect(table.find(hash: hash(index)) { _ in true }?.index == 0)
            }
        }
    }

    @Test("an empty table is searched → there is no result")
    func empty() {
        DiffMemory.with(byteCount: 64) { memory in
            let table = DiffTable(count: 0, limit: 0, in: &memory)
            #expect(table.find(hash: 7) { _ in true } == nil)
        }
    }

    @Test("buffers need more memory than reserved → additional blocks are allocated, and no buffer overwrites another")
    func memory() {
        DiffMemory.with(byteCount: 128) { memory in
            let first = FlatBuffer<UInt32>(repeating: 1, count: 20, in: &memory)
            let second = FlatBuffer<UInt64>(repeating: 2, count: 20, in: &memory)
            let third = FlatBuffer<UInt32>(repeating: 3, count: 4, in: &memory)
            for index in 0..<20 { #expect(first[index] == 1 && second[index] == 2) }
            for index in 0..<4 { #expect(third[index] == 3) }
            #expect(first.count == 20 && second.count == 20 && third.count == 4)
        }
    }
}
