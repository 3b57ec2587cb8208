// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore

extension ManagerObject {
    /// `Backup`: a copy of everything that is stored, into a file of the caller's.
    func backUp(_ call: Call) throws {
        _ = try service.authority.administrator(call, for: .inspect)
        let file = try call.message.read { (reader) throws(DBusError) in
            try reader.readFileDescriptor(of: "file")
        }
        guard let store = service.store else {
            throw ListError(.storeFailed, "nothing is stored: there is no state directory")
        }
        answer(call) {
            try await store.backUp(toDescriptor: file.rawValue)
            call.reply()
        }
    }

    /// What `Dump` says about the store: its file, and what `PRAGMA integrity_check` finds in it; a line for each thing, for
    /// programs read these (org.listd.Listd1(5)).
    func storeText() async -> [String] {
        guard let store = service.store else { return ["store: none, lists live in memory"] }
        do throws(ListError) {
            let faults = try await store.check()
            let verdict = faults.isEmpty ? "integrity ok" : "\(faults.count) faults"
            return ["store: \(store.path), \(try await store.byteCount()) bytes, \(verdict)"]
                + faults.prefix(20).map { fault in
                    "store fault: " + fault.split(whereSeparator: \.isNewline).joined(separator: " ")
                }
        } catch {
            return ["store: \(store.path), \(error)"]
        }
    }
}
