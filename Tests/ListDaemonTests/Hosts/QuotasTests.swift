// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Resource quotas of a user")
struct QuotasTests {
    private static let limits = Quotas.Amounts(adapters: 2, views: 3, objects: 10, bytes: 100)

    @Test(
        "usage stays within the limit → it is reserved; it would exceed the limit → nothing is reserved",
        arguments: Quotas.Resource.allCases)
    func limit(resource: Quotas.Resource) throws {
        var quotas = Quotas(limits: Self.limits)
        var one = Quotas.Amounts()
        one[resource] = 1
        for _ in 0..<Self.limits[resource] { try quotas.book(one, for: 7) }
        #expect(throws: Quotas.Exceeded(resource: resource, limit: Self.limits[resource])) {
            try quotas.book(one, for: 7)
        }
        #expect(quotas.used(by: 7)[resource] == Self.limits[resource])
        try quotas.book(one, for: 8)
        #expect(quotas.total[resource] == Self.limits[resource] + 1)
    }

    @Test("a request for two resources would exceed the limit of one → neither resource is reserved")
    func allOrNothing() {
        var quotas = Quotas(limits: Self.limits)
        #expect(throws: Quotas.Exceeded(resource: .bytes, limit: 100)) {
            try quotas.book(Quotas.Amounts(objects: 5, bytes: 101), for: 7)
        }
        #expect(quotas.used(by: 7) == Quotas.Amounts())
    }

    @Test("limits fall below the present usage → releases succeed, and further reservations are refused")
    func loweredLimits() throws {
        var quotas = Quotas(limits: Self.limits)
        try quotas.book(Quotas.Amounts(adapters: 2, objects: 10), for: 7)
        quotas.setLimits(Quotas.Amounts(adapters: 1, views: 1, objects: 1, bytes: 1))
        try quotas.book(Quotas.Amounts(objects: -1), for: 7)
        #expect(quotas.used(by: 7).objects == 9)
        #expect(throws: Quotas.Exceeded.self) { try quotas.book(Quotas.Amounts(objects: 1), for: 7) }
        quotas.release(Quotas.Amounts(adapters: 1), for: 7)
        #expect(quotas.used(by: 7).adapters == 1)
    }

    @Test("a release exceeds the reservation, or a sum overflows → no trap, and no amount is negative")
    func extremes() throws {
        var quotas = Quotas(limits: Quotas.Amounts(adapters: 1, views: 1, objects: .max, bytes: .max))
        try quotas.book(Quotas.Amounts(objects: .max), for: 7)
        #expect(throws: Quotas.Exceeded.self) { try quotas.book(Quotas.Amounts(objects: 1), for: 7) }
        quotas.release(Quotas.Amounts(adapters: 5, objects: .max), for: 7)
        #expect(quotas.used(by: 7) == Quotas.Amounts())
        try quotas.book(Quotas.Amounts(bytes: .min), for: 7)
        #expect(quotas.used(by: 7) == Quotas.Amounts())
    }
}
