// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ListConfiguration
import ListKit
import Synchronization
import TestSupport
import Testing

@testable import ListStore
@testable import ListSupport

@Suite("The log lines about changes that the store refuses")
struct StoreFailuresTests {
    private let failures = StoreFailures()
    private let start = ContinuousClock.now
    private let full = ListError(.storeFailed, "the store reported an error", cause: "database or disk is full")

    private func refuse(_ list: String = "mail", after seconds: Int = 0) -> String? {
        failures.recordRefusal(full, of: list, at: start + .seconds(seconds))
    }

    @Test("20 changes are refused at once → one line has the reason; a minute later → the next line counts the others")
    func counting() {
        let lines = (0..<20).compactMap { refuse($0 % 2 == 0 ? "mail" : "news") }
        #expect(lines.count == 1)
        #expect(lines[0].contains("“mail”") && lines[0].contains("database or disk is full"))
        #expect(refuse(after: 61)?.contains("20 further changes of “mail”, “news”") == true)
    }

    @Test("a change is refused for another reason → it has a line of its own")
    func otherReason() {
        #expect(refuse() != nil && refuse() == nil)
        #expect(failures.recordRefusal(ListError(.storeFailed, "x", cause: "disk I/O error"), of: "mail") != nil)
    }

    @Test("the store works between refusals → no line; it has worked for a while → one line has the number of refusals")
    func recovery() {
        #expect(failures.recordSuccess(at: start) == nil)
        #expect(refuse() != nil)
        for _ in 0..<2 {
            #expect(failures.recordSuccess(at: start) == nil)
            #expect(refuse() == nil)
        }
        let end = "the store accepts changes again, after it had refused 2 further changes of “mail”"
        #expect(failures.recordSuccess(at: start + .seconds(11)) == end)
        #expect(failures.recordSuccess(at: start + .seconds(12)) == nil)
        #expect(refuse(after: 13) != nil)
    }
}

@Suite("Access to the files of a store")
struct StoreAccessTests {
    private let directory = TemporaryDirectory()

    private func mode(of name: String) -> UInt32? {
        var status = stat()
        return unsafe stat(directory.path + name, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test("the files and the directory are open to others → the files are 0600 then, and the directory is reported")
    func openFiles() throws {
        for name in ["listd.db", "listd.db-wal", "listd.db.damaged-1", "other"] {
            try #require(FileManager.default.createFile(atPath: "\(directory.path)/\(name)", contents: Data()))
            unsafe chmod("\(directory.path)/\(name)", 0o644)
        }
        unsafe chmod(directory.path, 0o755)
        let findings = StoreAccess.restrict(directory: directory.path)
        #expect(
            findings.count == 1 && findings[0].contains("mode 755); run chmod 700 \(directory.path)"), "\(findings)")
        for name in ["/listd.db", "/listd.db-wal", "/listd.db.damaged-1"] {
            #expect(mode(of: name) == 0o600, "\(name)")
        }
        #expect(mode(of: "/other") == 0o644)
        unsafe chmod(directory.path, 0o700)
        #expect(StoreAccess.restrict(directory: directory.path).isEmpty)
    }

    @Test(
        "the file system is read-only → opening fails, and the cause names the mount point",
        .enabled(if: SmallDisk.isPossible, "file systems cannot be mounted here"))
    func readOnly() throws {
        let disk = try SmallDisk(at: directory.path, isReadOnly: true)
        defer { disk.remove() }
        let error = #expect(throws: ListError.self) { _ = try SQLiteStore.open(directory: directory.path) }
        #expect(error?.code == .storeFailed)
        #expect(error?.cause?.hasPrefix("Read-only file system: \(directory.path)") == true, "\(error?.reason ?? "")")
    }

    @Test("a store is in another directory → it is moved once, and its lists are there")
    func moving() async throws {
        let (old, new) = (directory.path + "/old", directory.path + "/state/new")
        let list = StoredAdapter(name: "mail", epoch: "e", owner: 1, options: try Fields([:]))
        let store = try SQLiteStore.open(directory: old).store
        await withCheckedContinuation { continuation in
            store.write(.create(list), durability: .disk) { _ in continuation.resume() }
        }
        await store.close()
        #expect(try SQLiteStore.move(from: old, to: new))
        #expect(try !SQLiteStore.move(from: old, to: new))
        let opened = try SQLiteStore.open(directory: new)
        #expect(opened.adapters.map(\.adapter.name) == ["mail"] && opened.lost.isEmpty)
        #expect(opened.adapters.first?.adapter.epoch == "e")
        await opened.store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: old).isEmpty)
    }
}
