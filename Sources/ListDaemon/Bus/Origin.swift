// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

/// The caller or signal that caused a logged change.
struct Origin: Sendable {
    /// Who it is, for people: `user 1000, process 4711 (busctl)`.
    let text: String
    /// The same for the journal.
    let fields: [Log.Field]

    /// The signal that the service manager sends.
    static let signal = Origin(text: "SIGHUP", fields: [])

    private init(text: String, fields: [Log.Field]) {
        self.text = text
        self.fields = fields
    }

    /// A client.
    @DBusActor
    init(_ peer: Peer) {
        let process = peer.process
        let command = peer.command
        text =
            peer.userText + (process == 0 ? "" : ", process \(process)") + (command.isEmpty ? "" : " (\(command))")
        fields =
            [.client(peer.name)] + (peer.credentials.map { [.user($0.userID)] } ?? [])
            + (process == 0 ? [] : [.process(process)])
    }
}

extension Peer {
    /// Its process; 0 when the bus did not say.
    var process: Int32 { credentials?.processID ?? 0 }

    /// What the kernel calls its process; empty when that is gone, or not known.
    var command: String {
        guard process > 0, let text = KernelFile.text("/proc/\(process)/comm") else { return "" }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
