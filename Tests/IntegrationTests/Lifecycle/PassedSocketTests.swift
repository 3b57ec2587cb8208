// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// The direct socket that `listd-direct.socket` passes to listd (sd_listen_fds(3)).
@Suite("A socket passed by systemd", .timeLimit(.minutes(2)))
@DBusActor
struct PassedSocketTests {
    /// Acts as systemd: passes a named listening socket, and a memfd as from the descriptor store.
    private static let manager = """
        import os, socket, sys
        path, name, *command = sys.argv[1:]
        s = socket.socket(socket.AF_UNIX)
        s.bind(path)
        s.listen()
        found = [os.dup2(os.memfd_create("kept"), 60), os.dup2(s.fileno(), 61)]
        for i, d in enumerate(found): os.dup2(d, 3 + i)
        os.closerange(5, 100)
        os.environ.update(LISTEN_FDS="2", LISTEN_FDNAMES="kept:" + name, LISTEN_PID=str(os.getpid()))
        os.execv(command[0], command)
        """

    private func start(
        _ bus: PrivateBus, _ directory: TemporaryDirectory, name: String
    ) async throws -> (process: ChildProcess, notifications: NotifySocket) {
        let notifications = try NotifySocket(path: directory.path + "/notify")
        let listd = [
            ListdProcess.executable.path, "--bus", bus.address, "--config", directory.path, "--state", "none",
        ]
        let process = try ChildProcess(
            "/usr/bin/python3", ["-c", Self.manager, directory.path + "/passed", name] + listd,
            environment: ["NOTIFY_SOCKET": notifications.path, "RUNTIME_DIRECTORY": directory.path])
        for await message in notifications.messages where message.contains("READY=1") { break }
        return (process, notifications)
    }

    @Test(
        "systemd passes a socket named direct → listd serves clients on the socket, and DirectAddress has its address")
    func passed() async throws {
        let (bus, directory) = (try PrivateBus(), TemporaryDirectory())
        let (process, notifications) = try await start(bus, directory, name: "direct")
        let direct = try await Connection.open(.address("unix:path=" + directory.path + "/passed"))
        let manager = RemoteObject(
            direct, destination: Listd.name, path: Listd.manager, interface: Listd.name + ".Manager")
        let address = try await manager.property("DirectAddress", as: String.self)
        #expect(address.hasPrefix("unix:path=" + directory.path + "/passed"))
        let features = try await manager.property("Features", as: [String].self)
        #expect(features.contains("direct") && features.contains("contract-1.0"))
        _ = try await Connection.open(.address(address))
        process.signal(SIGTERM)
        #expect(try await process.exit.next() == 0)
        notifications.close()
    }

    @Test("no passed socket is named direct → listd opens its own socket in the runtime directory")
    func notPassed() async throws {
        let (bus, directory) = (try PrivateBus(), TemporaryDirectory())
        let (process, notifications) = try await start(bus, directory, name: "another")
        let direct = try await Connection.open(.address("unix:path=" + directory.path + "/direct.sock"))
        let manager = RemoteObject(
            direct, destination: Listd.name, path: Listd.manager, interface: Listd.name + ".Manager")
        #expect(try await manager.property("DirectAddress", as: String.self).contains("direct.sock"))
        process.signal(SIGTERM)
        #expect(try await process.exit.next() == 0)
        notifications.close()
    }
}
