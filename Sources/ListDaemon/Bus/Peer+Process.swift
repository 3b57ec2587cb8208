internal import DBus
internal import Foundation

extension Peer {
    /// Its process; 0 when the bus did not say.
    var process: Int32 { credentials?.processID ?? 0 }

    /// What the kernel calls its process; empty when that is gone, or not known.
    var command: String {
        guard process > 0, let bytes = FileManager.default.contents(atPath: "/proc/\(process)/comm") else { return "" }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
