// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSources
internal import ListSupport

/// The limits of calls, and the quotas of users.
@DBusActor
final class ServiceLimits {
    private var calls = Limits()
    /// The rule for who may create adapters.
    private(set) var creators = Creators.any
    /// The quotas of users.
    let quotas: QuotaLedger
    /// The bookings of configured lists, which have no limits.
    private let configuredLists = QuotaLedger(limits: .unlimited)
    /// The reader of passed file descriptors.
    let bulk = BulkReader()
    /// The memory files that callers have received.
    let lentFiles = LentFiles()
    /// The subscriptions of each connection.
    let subscriptions = SubscriptionNumbers()

    /// Makes the limits; those of calls have the contract's defaults.
    init(quotas: Quotas.Amounts) { self.quotas = QuotaLedger(limits: quotas) }

    /// The maximum number of bytes of all objects in one call.
    var payloadBytes: Int { calls.payloadBytes }
    var objects: ObjectLimits { calls.objects }
    /// The limits on data that clients pass through file descriptors.
    var ofBulk: BulkReader.Limits { calls.bulk }

    /// Changes the limits of calls; returns whether the limits of file descriptors have changed.
    func setCallLimits(_ new: Limits, creators: Creators) -> Bool {
        self.creators = creators
        defer { calls = new }
        guard new.bulk != calls.bulk else { return false }
        bulk.setLimits(new.bulk)
        return true
    }

    /// Throws if the configuration does not allow the caller to create adapters.
    func checkCreator(_ caller: Caller) throws(ListError) {
        guard creators.admits(caller) else {
            throw ListError(
                .accessDenied,
                "user \(caller.user) may not create adapters: Creators= in listd.conf is \(creators.text.quoted)")
        }
    }

    // MARK: Accounts

    /// Returns the account of a list's objects; configured lists share an account without limits.
    func account(of access: AdapterAccess, bytes: ListBytes) -> HostAccount {
        HostAccount(ledger: access.isConfigured ? configuredLists : quotas, user: access.owner, bytes: bytes)
    }

    /// Books an adapter on its owner's account; configured adapters are not counted.
    ///
    /// - Throws: `limitsExceeded`.
    func bookAdapter(for access: AdapterAccess) throws(ListError) {
        guard !access.isConfigured else { return }
        do throws(Quotas.Exceeded) {
            try quotas.book(Quotas.Amounts(adapters: 1), for: access.owner)
        } catch {
            throw error.refusal(
                "user \(access.owner) already has the maximum of \(error.limit) \(error.resource.rawValue)")
        }
    }

    /// Books a restored adapter on its owner's account, even beyond the limit.
    func bookRestoredAdapter(for access: AdapterAccess) {
        if !access.isConfigured { quotas.bookUnchecked(Quotas.Amounts(adapters: 1), for: access.owner) }
    }

    /// Removes an adapter from its owner's account.
    func releaseAdapter(of access: AdapterAccess) {
        if !access.isConfigured { quotas.release(Quotas.Amounts(adapters: 1), for: access.owner) }
    }
}

/// The numbers of subscriptions to lists, and how many each connection has.
@DBusActor
final class SubscriptionNumbers {
    private var last: SubscriptionID = 0
    private var counts: [ObjectIdentifier: Int] = [:]

    nonisolated init() {}

    /// Counts a new subscription of a peer and returns its number.
    ///
    /// - Throws: `limitsExceeded`.
    func begin(for peer: Peer, limit: Limits) throws(ListError) -> SubscriptionID {
        let count = count(of: peer)
        guard count < limit.subscriptionsPerConnection else {
            throw LimitKey.subscriptionsPerConnection.refusal(
                .limitsExceeded, "connection \(peer.name) already has \(count) subscriptions")
        }
        counts[ObjectIdentifier(peer)] = count + 1
        last += 1
        return last
    }

    /// Forgets subscriptions that have ended.
    func end(_ count: Int, of peer: Peer) {
        let left = self.count(of: peer) - count
        counts[ObjectIdentifier(peer)] = left > 0 ? left : nil
    }

    /// The number of subscriptions of a peer that have not ended.
    func count(of peer: Peer) -> Int { counts[ObjectIdentifier(peer)] ?? 0 }
}
