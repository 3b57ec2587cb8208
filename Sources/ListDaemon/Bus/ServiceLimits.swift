// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListSupport

/// What one call may bring, and what users may have.
@DBusActor
final class ServiceLimits {
    /// What one call may bring, and who may create adapters.
    struct OfCalls: Sendable {
        /// Who may create adapters.
        var creators = AccessRule.any
        /// How many bytes all objects of one call may take.
        var payloadBytes = 16 << 20
        /// The limits of one object.
        var objects = ObjectLimits()
        /// What may come through descriptors.
        var bulk = BulkReader.Limits()

        /// The contract's defaults.
        init() {}
    }

    private var calls = OfCalls()
    /// What users have.
    let quotas: QuotaLedger
    /// What configured lists have, without a limit.
    private let configuredLists = QuotaLedger(limits: .unlimited)
    /// Reads descriptors.
    let bulk = BulkReader()
    /// The memory files that callers got.
    let lentFiles = LentFiles()

    /// Makes the limits; those of calls are the contract's defaults.
    init(quotas: Quotas.Amounts) { self.quotas = QuotaLedger(limits: quotas) }

    /// Who may create adapters.
    var creators: AccessRule { calls.creators }
    /// How many bytes all objects of one call may take.
    var payloadBytes: Int { calls.payloadBytes }
    /// What one object may take.
    var objects: ObjectLimits { calls.objects }
    /// What may come through descriptors.
    var ofBulk: BulkReader.Limits { calls.bulk }

    /// Sets the limits of calls; true = those of descriptors have changed.
    func set(_ new: OfCalls) -> Bool {
        defer { calls = new }
        guard new.bulk != calls.bulk else { return false }
        bulk.setLimits(new.bulk)
        return true
    }

    /// Refuses those that the configuration does not let create adapters.
    func checkCreator(_ caller: Caller) throws(ListError) {
        guard AdapterAccess(owner: 0, writers: creators).allowsWriting(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not create adapters (Creators=\(creators.text))")
        }
    }

    // MARK: Accounts

    /// The account of a list's objects; configured lists have one of their own, without limits.
    func account(of access: AdapterAccess, _ bytes: ListBytes) -> HostAccount {
        HostAccount(ledger: access.isConfigured ? configuredLists : quotas, user: access.owner, bytes: bytes)
    }

    /// Books an adapter on its owner's account; configured ones do not count.
    ///
    /// - Throws: `limitsExceeded`.
    func bookAdapter(for access: AdapterAccess) throws(ListError) {
        guard !access.isConfigured else { return }
        do throws(Quotas.Exceeded) {
            try quotas.change(Quotas.Amounts(adapters: 1), for: access.owner)
        } catch {
            throw error.refusal(
                "user \(access.owner) has \(error.limit) \(error.resource.rawValue), more are not allowed")
        }
    }

    /// Books an adapter from the store, whatever its owner has.
    func adoptAdapter(of access: AdapterAccess) {
        if !access.isConfigured { quotas.adopt(Quotas.Amounts(adapters: 1), for: access.owner) }
    }

    /// Takes an adapter off its owner's account.
    func releaseAdapter(of access: AdapterAccess) {
        if !access.isConfigured { quotas.release(Quotas.Amounts(adapters: 1), for: access.owner) }
    }
}
