import DBus
import Foundation
import TestSupport
import Testing

@Suite("Sockets and descriptors that systemd passes")
@DBusActor
struct ActivationTests {
    /// Passes descriptors as systemd does, by name: a listening socket, or a memfd as out of the descriptor store.
    private func start(_ names: [String], in directory: TemporaryDirectory) throws -> ChildProcess {
        let service = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("DBusTestService").path
        return try ChildProcess(
            python: """
                import os, socket, sys
                service, path, names = sys.argv[1], sys.argv[2], sys.argv[3:]
                found = []
                for name in names:
                    if name == "state":
                        found.append(os.memfd_create("state"))
                        os.write(found[-1], b"kept")
                    else:
                        s = socket.socket(socket.AF_UNIX)
                        s.bind(path + "/" + name)
                        s.listen()
                        found.append(s.detach())
                found = [os.dup2(d, 50 + i) for i, d in enumerate(found)]
                for i, d in enumerate(found): os.dup2(d, 3 + i)
                os.closerange(3 + len(found), 100)
                os.environ.update(LISTEN_FDS=str(len(found)), LISTEN_FDNAMES=":".join(names), LISTEN_PID=str(os.getpid()))
                os.execv(service, [service])
                """, [service, directory.path] + names)
    }

    @Test(
        "a stored memfd and several sockets are passed → the named socket is served, the others are kept by name",
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
        "no socket has the name, or it is not a listening one → a typed error", arguments: [["state"], ["other"], []])
    func missing(names: [String]) async throws {
        let directory = TemporaryDirectory()
        let service = try start(names, in: directory)
        #expect(try await service.lines.next() == "failed \(StandardError.invalidArgs.rawValue)")
        withExtendedLifetime(directory) {}
    }
}
