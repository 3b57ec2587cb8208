// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListSupport

/// The caller or signal that caused a logged change.
struct Origin: Sendable {
    /// A description of the origin for people: `user 1000, process 4711 (busctl)`.
    let text: String
    /// The origin as fields for the journal.
    let fields: [Log.Field]

    /// The origin of a reload by SIGHUP.
    static let signal = Origin(text: "SIGHUP", fields: [])

    private init(text: String, fields: [Log.Field]) {
        self.text = text
        self.fields = fields
    }

    /// Makes the origin of a client's call.
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
    /// The process ID of the peer; 0 if the bus did not name one.
    var process: Int32 { credentials?.processID ?? 0 }

    /// The command name of the peer's process; empty if the process has ended or is unknown.
    var command: String {
        guard process > 0, let text = KernelFile.text("/proc/\(process)/comm") else { return "" }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
