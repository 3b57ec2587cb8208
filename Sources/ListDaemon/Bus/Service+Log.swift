// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import ListWorkers

// Log messages about lists, with who caused what happened to them.

extension Service {
    /// Says what became of a list, and who caused it; of lists that go with a connection, as each search makes one, only at the
    /// level debug.
    ///
    /// - Parameters:
    ///   - what: what it was: `created`, `removed`, `renamed from …`.
    ///   - key: with what the message is limited; nil is never limited.
    func log(_ adapter: AdapterObject, _ what: String, by origin: Origin, limitedBy key: String? = nil) {
        log.write(
            adapter.isTransient ? .debug : .info,
            { "adapter \(adapter.name.debugDescription) was \(what) by \(origin.text)" },
            origin.fields + [.adapter(adapter.name), .revision(adapter.status.revision)], limitedBy: key)
    }

    /// Says that other users may read a list, write to it or invoke its actions, if that is so.
    func log(changesFrom before: AdapterAccess, of adapter: AdapterObject, by origin: Origin) {
        let now = adapter.access
        let changes = [
            ("readers", before.readers, now.readers), ("writers", before.writers, now.writers),
            ("invokers", before.invokers, now.invokers),
        ].filter { $0.1 != $0.2 }.map { "\($0.0) from \($0.1.text) to \($0.2.text)" }
        guard !changes.isEmpty else { return }
        log(adapter, "changed (\(changes.joined(separator: ", ")))", by: origin)
    }

    /// Logs that a full list removed many objects, so that an administrator can find who replaced them.
    func log(_ removed: LargeRemoval, by call: Call, of adapter: String, at revision: UInt64) {
        let origin = Origin(call.peer)
        log.write(
            .info,
            {
                "\(call.member) by \(origin.text) is in revision \(revision) of adapter \(adapter.debugDescription), "
                    + "which removed \(removed.objects) of \(removed.total) objects"
            }, origin.fields + [.adapter(adapter), .revision(revision)],
            limitedBy: "objects taken away by \(call.peer.userText)")
    }

    /// Says what a call did, and counts objects that were dropped.
    func noteWriting(_ call: Call, to adapter: String, at revision: UInt64, dropped: Int) {
        if log.level >= .debug {
            log.debug(
                "\(call.member) is in revision \(revision)", .adapter(adapter), .client(call.peer.name),
                .revision(revision), limitedBy: call.peer.userText)
        }
        guard dropped > 0 else { return }
        count(.duplicatesDropped, dropped)
        log.warning(
            "dropped \(dropped) objects whose identifiers occurred before", .adapter(adapter),
            .client(call.peer.name), .revision(revision), limitedBy: call.peer.userText)
    }
}
