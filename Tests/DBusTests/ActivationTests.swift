// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Sockets and descriptors that systemd passes")
@DBusActor
struct ActivationTests {
    /// Starts the test service with named descriptors, as systemd passes them: a listening socket, or a memfd as
    /// from the descriptor store.
    ///
    /// - Parameters:
    ///   - missing: the number of descriptors that LISTEN_FDS announces beyond those that are passed.
    ///   - family: the address family of the sockets.
    private func start(
        _ names: [String], in directory: TemporaryDirectory, missing: Int = 0, family: String = "AF_UNIX"
    ) throws -> ChildProcess {
        let service = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("DBusTestService").path
        return try ChildProcess(
            python: """
                import os, socket, sys
                service, path, missing, family, names = *sys.argv[1:5], sys.argv[5:]
                found = []
                for name in names:
                    if name == "state":
                        found.append(os.memfd_create("state"))
                        os.write(found[-1], b"kept")
                    else:
                        s = socket.socket(getattr(socket, family))
                        s.bind(path + "/" + name if family == "AF_UNIX" else ("127.0.0.1", 0))
                        s.listen()
                        found.append(s.detach())
                found = [os.dup2(d, 50 + i) for i, d in enumerate(found)]
                for i, d in enumerate(found): os.dup2(d, 3 + i)
                os.closerange(3 + len(found), 100)
                os.environ.update(LISTEN_FDS=str(len(found) + int(missing)), LISTEN_FDNAMES=":".join(names))
                os.environ.update(LISTEN_PID=str(os.getpid()))
                os.execv(service, [service])
                """, [service, directory.path, String(missing), family] + names)
    }

    @Test(
        "a memfd and several sockets are passed → the socket “direct” is served, and each descriptor is found by its name",
        arguments: [["direct"], ["state", "direct"], ["direct", "state"], ["other", "state", "direct"]])
    func named(names: [String]) async throws {
        let directory = TemporaryDirectory()
        let service = try start(names, in: directory)
        #expect(try await service.lines.next().hasPrefix("ready unix:path=\(directory.path)/direct"))
        let client = try await Connection.openDirect(.address("unix:path=\(directory.path)/direct"))
        let passed = RemoteObject(client, destination: nil, path: "/", interface: "org.example.Passed")
        #expect(try await passed.call("Names", returning: [String].self) == names)
        guard names.contains("state") else { return }
        let state = try await passed.call("Contents", "state", returning: FileDescriptor.self)
        #expect(OpenFile.contents(state) == "kept")
        withExtendedLifetime(directory) {}
    }

    @Test(
        "no descriptor has the name “direct” → the service fails with InvalidArgs",
        arguments: [["state"], ["other"], []])
    func missing(names: [String]) async throws {
        let directory = TemporaryDirectory()
        let service = try start(names, in: directory)
        #expect(try await service.lines.next() == "failed \(StandardError.invalidArgs.rawValue)")
        withExtendedLifetime(directory) {}
    }

    @Test(
        "LISTEN_FDS announces more descriptors than were passed → the service adopts and closes no descriptor",
        arguments: [1, 200])
    func fewer(missing: Int) async throws {
        let directory = TemporaryDirectory()
        let service = try start(["direct"], in: directory, missing: missing)
        #expect(try await service.lines.next() == "failed \(StandardError.invalidArgs.rawValue)")
        withExtendedLifetime(directory) {}
    }

    @Test("systemd passes a network socket → the service refuses it, because its clients cannot be identified")
    func network() async throws {
        let directory = TemporaryDirectory()
        let service = try start(["direct"], in: directory, family: "AF_INET")
        #expect(try await service.lines.next() == "failed \(StandardError.badAddress.rawValue)")
        withExtendedLifetime(directory) {}
    }
}
