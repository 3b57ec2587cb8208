// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Per-user resource accounting")
struct UserAccountsTests {
    private func makeAccounts(calls: Int = 4, bytesPerUser: Int = 1000, bytes: Int = 4000) -> UserAccounts {
        let limits = UserAccounts.Limits(callsPerUser: calls, bytesPerUser: bytesPerUser, bytes: bytes)
        return UserAccounts(limits: limits)
    }

    @Test("nothing is configured → the contract's limits apply, and even a single user is limited to one user's share")
    func defaults() throws {
        var accounts = UserAccounts()
        #expect(accounts.limits.callsPerUser == 1024)
        #expect(accounts.limits.bytesPerUser == 67_108_864 && accounts.limits.bytes == 268_435_456)
        #expect(accounts.room(for: 1) == 67_108_864)
        try accounts.reserve(67_108_864, for: 1)
        #expect(throws: UserAccounts.Refusal.bytesPerUser(limit: 67_108_864)) { try accounts.reserve(1, for: 1) }
    }

    @Test(
        "a user has as many calls as allowed → only that user's next call is refused; exempt calls are accepted"
    )
    func calls() throws {
        var accounts = makeAccounts(calls: 2)
        try accounts.beginCall(of: 1)
        try accounts.beginCall(of: 1)
        #expect(throws: UserAccounts.Refusal.callsPerUser(limit: 2)) { try accounts.beginCall(of: 1) }
        try accounts.beginCall(of: 1, isExempt: true)
        #expect(accounts.usage(of: 1).calls == 3)
        try accounts.beginCall(of: 2)
        accounts.endCall(of: 1)
        #expect(throws: UserAccounts.Refusal.self) { try accounts.beginCall(of: 1) }
        accounts.endCall(of: 1)
        try accounts.beginCall(of: 1)
    }

    @Test("more is released than was reserved → the user is no longer tracked, and no amount is negative")
    func releasesEverything() throws {
        var accounts = makeAccounts()
        try accounts.beginCall(of: 1)
        try accounts.reserve(10, for: 1)
        try accounts.reserve(0, for: 2)
        #expect(accounts.count == 1)
        accounts.release(11, of: 1)
        accounts.release(5, of: 2)
        accounts.endCall(of: 1)
        accounts.endCall(of: 1)
        #expect(accounts.count == 0 && accounts.bytes == 0 && accounts.usage(of: 1) == UserAccounts.Use())
        #expect(throws: UserAccounts.Refusal.self) { try accounts.reserve(.max, for: 1) }
        accounts.reserveUnchecked(.max, for: 1)
        accounts.reserveUnchecked(.max, for: 1)
        #expect(accounts.bytes == .max && accounts.room(for: 1) == 0 && accounts.room(for: 2) == 0)
    }

    @Test(
        "each user in turn reserves the maximum memory → the next user still gets some memory",
        .rule("LD-03"))
    func nextUserFindsRoom() throws {
        var accounts = UserAccounts()
        var last = Int.max
        for user in 0..<64 as Range<UInt32> {
            let room = accounts.room(for: user)
            // The n-th user gets about 1 / (n · log² n) of the total: the 64th still has room for a page of a list.
            #expect(room > (user < 16 ? 1 << 20 : 1 << 17), "user \(user): \(room)")
            #expect(room <= last)
            try accounts.reserve(room, for: user)
            #expect(throws: UserAccounts.Refusal.self) { try accounts.reserve(1, for: user) }
            last = room
        }
        #expect(accounts.bytes < accounts.limits.bytes)
    }

    @Test(
        "reservations and releases are random → the results are those of a model that sums up each user's usage",
        arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var accounts = makeAccounts(calls: 5, bytesPerUser: 1200, bytes: 4000)
        var reserved: [(user: UInt32, bytes: Int)] = []
        var calls: [UInt32] = []
        func held(_ user: UInt32) -> Int { reserved.filter { $0.user == user }.reduce(0) { $0 + $1.bytes } }
        for _ in 0..<2000 {
            let user = UInt32.random(in: 0..<6, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let size = Int.random(in: 1...600, using: &random)
                let users = Set(reserved.filter { $0.bytes > 0 }.map(\.user)).union([user]).count
                let logarithm = (0...).first { 1 << $0 >= users + 1 } ?? 0
                let part = (users + 1) * logarithm + users + 1
                let left = 4000 - reserved.filter { $0.user != user }.reduce(0) { $0 + $1.bytes }
                let fits = held(user) + size <= 1200 && held(user) + size <= max(0, left) / part
                #expect((size <= accounts.room(for: user)) == fits)
                let granted = (try? accounts.reserve(size, for: user)) != nil
                #expect(granted == fits)
                if granted { reserved.append((user, size)) }
            case 3:
                guard let index = reserved.indices.randomElement(using: &random) else { continue }
                let back = reserved.remove(at: index)
                accounts.release(back.bytes, of: back.user)
            case 4:
                let granted = (try? accounts.beginCall(of: user)) != nil
                #expect(granted == (calls.filter { $0 == user }.count < 5))
                if granted { calls.append(user) }
            default:
                guard let index = calls.indices.randomElement(using: &random) else { continue }
                accounts.endCall(of: calls.remove(at: index))
            }
            #expect(accounts.bytes == reserved.reduce(0) { $0 + $1.bytes })
            #expect(accounts.usage(of: user).bytes == held(user))
            #expect(accounts.usage(of: user).calls == calls.filter { $0 == user }.count)
            #expect(accounts.count == Set(reserved.map(\.user)).union(calls).count)
        }
    }
}
