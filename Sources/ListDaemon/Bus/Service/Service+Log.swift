// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

// Log messages about lists, with the origin of each event.

extension Service {
    /// Logs an event of a list and its origin.
    ///
    /// - Parameters:
    ///   - what: the event as a participle: `created`, `removed`, `renamed from …`.
    ///   - key: the key of the rate limit; nil = unlimited.
    func log(_ what: String, of adapter: AdapterObject, by origin: Origin, limitedBy key: String? = nil) {
        log.write(
            .info,
            { "adapter \(adapter.name.debugDescription) was \(what) by \(origin.text)" },
            origin.fields + [.adapter(adapter.name), .revision(adapter.status.revision)], limitedBy: key)
    }

    /// Logs changes of who may read a list, write to it or invoke its actions, if there are any.
    func log(changesFrom before: AdapterAccess, of adapter: AdapterObject, by origin: Origin) {
        let now = adapter.access
        let changes = [
            ("readers", before.readers, now.readers), ("writers", before.writers, now.writers),
            ("invokers", before.invokers, now.invokers),
        ].filter { $0.1 != $0.2 }.map { "\($0.0) from \($0.1.text) to \($0.2.text)" }
        guard !changes.isEmpty else { return }
        log("changed (\(changes.joined(separator: ", ")))", of: adapter, by: origin)
    }

    /// Logs that a full list removed many objects, so that an administrator can find who replaced them.
    func log(_ removed: LargeRemoval, by call: Call, of adapter: String, at revision: UInt64) {
        let origin = Origin(call.peer)
        log.write(
            .info,
            {
                "\(call.member) by \(origin.text) made revision \(revision) of adapter \(adapter.debugDescription), "
                    + "which removed \(removed.objects) of \(removed.total) objects"
            }, origin.fields + [.adapter(adapter), .revision(revision)],
            limitedBy: "objects removed by \(call.peer.userText)")
    }

    /// Records the writer of a list, logs a writing call at the level debug, and reports dropped objects.
    func recordWrite(_ call: Call, to adapter: AdapterObject, at revision: UInt64, dropped: DroppedDuplicates) {
        adapter.recordWrite(by: call.peer)
        if log.level >= .debug {
            log.debug(
                "\(call.member) took effect in revision \(revision)", .adapter(adapter.name), .client(call.peer.name),
                .revision(revision), limitedBy: call.peer.userText)
        }
        adapter.report(dropped, [.client(call.peer.name), .revision(revision)])
    }
}
