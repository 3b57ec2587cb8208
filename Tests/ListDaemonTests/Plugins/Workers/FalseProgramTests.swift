// SPDX-License-Identifier: Apache-2.0

import Foundation
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListSupport
@testable import ListWorkers

@Suite("Processes that are no workers, or bad ones", .timeLimit(.minutes(3)))
struct FalseProgramTests {
    private let directory: PluginBuildDirectory

    init() throws {
        directory = try PluginBuildDirectory()
        try directory.build("greenhouse.swift")
    }

    /// Returns the error of loading a plugin whose worker runs these lines of Python, with the socket `link`.
    private func failure(of lines: String) async throws -> ListError {
        let program = directory.path("false-worker")
        let text = """
            #!/usr/bin/env python3
            import array, os, socket, time
            link = socket.socket(fileno=3)
            def get(): return link.recvmsg(1 << 18, 64)[0]
            def descriptors(*numbers): return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", numbers))]
            \(lines)
            """
        try text.write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let registry = PluginRegistry(
            directories: PluginDirectories([directory.directory]),
            configuration: { _ in
                var configuration = PluginConfiguration(of: "")
                configuration.isolation = .worker
                return configuration
            },
            log: Log(level: .error, sink: StandardErrorSink(prefixed: false)), executable: program)
        let error = await #expect(throws: ListError.self) { try await registry.load("greenhouse") }
        #expect(await registry.plugins.isEmpty)
        return try #require(error)
    }

    private static let report = WireWriter.bytes(of: Report.refused(ListError(.pluginRefused, "the last words")))
        .map(String.init).joined(separator: ",")

    @Test(
        "a process closes its socket, exits or sends nonsense → pluginFailed has the reason",
        arguments: [
            ("raise SystemExit(3)", "exit code 3"), ("link.close(); time.sleep(1000)", "the worker closed its socket"),
            ("link.shutdown(socket.SHUT_WR); time.sleep(1000)", "the worker closed its socket"),
            ("link.send(b''); time.sleep(1000)", "the worker closed its socket"),
            ("link.send(b'\\xff'); time.sleep(1000)", "the worker sent an invalid packet"),
            ("link.send(b'\\xff' * 65536); time.sleep(1000)", "the worker sent an invalid packet"),
            ("link.send(b'\\x07' * 140000); time.sleep(1000)", "the packet is too long"),
            ("link.sendmsg([b'\\x07'], descriptors(0, 1)); time.sleep(1000)", "descriptors that nobody asked for"),
            ("link.sendmsg([b'\\x07\\x07'], descriptors(0)); time.sleep(1000)", "a descriptor that nobody asked for"),
            ("link.sendmsg([b'\\x07'], descriptors(0)); time.sleep(1000)", "is not sealed"),
            ("os.kill(os.getpid(), 9)", "signal 9"),
        ])
    func nonsense(lines: String, reason: String) async throws {
        let error = try await failure(of: lines)
        #expect(error.code == .pluginFailed)
        #expect(error.message.contains(reason), "\(error.message)")
    }

    @Test(
        "a process reports and ends at once, whether it has read its orders or not → the report counts",
        arguments: ["", "get(); get()", "os.fork() or time.sleep(1000)"])
    func lastWords(before: String) async throws {
        let error = try await failure(of: "\(before)\nlink.send(bytes([\(Self.report)]))")
        #expect(error.message.contains("the last words"), "\(error.message)")
    }
}
