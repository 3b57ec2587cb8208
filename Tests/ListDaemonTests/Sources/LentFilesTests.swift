// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListDaemon
import ListKit
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// Accounting for memory files that a client receives, for as long as any process has them open.
@Suite("Memory files that clients hold")
@DBusActor
struct LentFilesTests {
    private func file(_ size: Int) throws -> FileDescriptor {
        try SealedMemory.file(named: "test", containing: [UInt8](repeating: 1, count: size))
    }

    @Test("a user has as many memory files as allowed → only this user's next file is refused, until a file is closed")
    func count() throws {
        let lent = LentFiles(files: 3, bytes: 1000)
        var files = try (0..<3).map { _ in try file(10) }
        for file in files { try lent.lend(file, to: 7) }
        let another = try file(10)
        let error = try #require(throws: ListError.self) { try lent.lend(another, to: 7) }
        #expect(error.code == .limitsExceeded && error.message.contains("user 7 has 3 memory files with 30 bytes"))
        #expect(throws: ListError.self) { try lent.checkRoom(for: 7) }
        try lent.lend(another, to: 8)
        #expect(lent.use == (4, 40))
        files.removeLast()
        try lent.checkRoom(for: 7)
        #expect(lent.use == (3, 30))
    }

    @Test(
        "no descriptor is free for checking which files are in use → a new file is refused until a descriptor is free")
    func noDescriptor() throws {
        let (lent, file) = (LentFiles(files: 3, bytes: 1000), try file(10))
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let error = #expect(throws: ListError.self) { try lent.lend(file, to: 7) }
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(error?.code == .limitsExceeded)
        try lent.lend(file, to: 7)
        #expect(lent.use == (1, 10))
    }

    @Test(
        "a user has as many bytes in memory files as allowed → a larger file is refused, a smaller file is allowed"
    )
    func bytes() throws {
        let lent = LentFiles(files: 3, bytes: 1000)
        var kept = try [file(900)]
        try lent.lend(kept[0], to: 7)
        let (large, small) = try (file(101), file(100))
        #expect(throws: ListError.self) { try lent.lend(large, to: 7) }
        try lent.lend(small, to: 7)
        kept = []
        let huge = try file(5000)
        #expect(throws: ListError.self) { try lent.lend(huge, to: 7) }
        try lent.lend(huge, to: 9)
        #expect(throws: ListError.self) { try lent.checkRoom(for: 9, bytes: 1) }
    }

    @Test("listd closes a file that a client still has open or mapped → the file is counted until nobody uses it")
    func elsewhere() throws {
        let lent = LentFiles(files: 3, bytes: 1000)
        var own: FileDescriptor? = try file(4096)
        var copy: FileDescriptor? = try FileDescriptor(duplicating: try #require(own?.rawValue))
        try lent.lend(try #require(own), to: 7)
        own = nil
        #expect(lent.use == (1, 4096))
        let mapped = unsafe mmap(nil, 4096, PROT_READ, MAP_PRIVATE, try #require(copy?.rawValue), 0)
        copy = nil
        #expect(lent.use == (1, 4096))
        unsafe munmap(mapped, 4096)
        #expect(lent.use == (0, 0))
    }

    @Test("a thousand memory files are created and closed one by one → no file is tracked at the end")
    func many() throws {
        let lent = LentFiles(files: 3, bytes: 1000)
        for _ in 0..<1000 { try lent.lend(try file(10), to: 7) }
        #expect(lent.use == (0, 0))
    }
}
