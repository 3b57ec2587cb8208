// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Exchanging values with other D-Bus implementations")
@DBusActor
struct InteroperationTests {
    @Test("random values are sent to dbus-python and back → they are unchanged")
    func randomValues() async throws {
        let bus = try PrivateBus()
        let (python, echo) = try await PythonEcho.start(on: bus)
        let connection = try await Connection.open(.address(bus.address))
        var random = SeededRandom(seed: 17)
        for _ in 0..<300 {
            let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                random.value(of: .types(of: random.signature(depth: 3)))
            }
            var message = try Message.methodCall(
                to: echo, path: "/", interface: "org.example.Echo", member: "Echo")
            try message.write(values: values)
            #expect(try await connection.call(message).values() == values)
        }
        python.stop()
    }

    @Test("a file descriptor goes to dbus-python and comes back → the descriptor still refers to the same file")
    func descriptor() async throws {
        let bus = try PrivateBus()
        let (python, echo) = try await PythonEcho.start(on: bus)
        let connection = try await Connection.open(.address(bus.address))
        let directory = TemporaryDirectory()
        let file = try OpenFile.create(directory.path + "/file", contents: "through the bus")
        let remote = RemoteObject(connection, destination: echo, path: "/", interface: "org.example.Echo")
        let returned = try await remote.call("Echo", file, returning: FileDescriptor.self)
        #expect(returned.rawValue != file.rawValue)
        #expect(OpenFile.contents(returned) == "through the bus")
        python.stop()
    }

    @Test("busctl sends values typed on its command line → decoded, and busctl prints the reply")
    func busctl() async throws {
        let service = try await CounterService.start()
        let call = [
            "--address=\(service.bus.address)", "call", Counter.name, Counter.path.text, Counter.name, "Add", "u", "9",
        ]
        #expect(try await ChildProcess.run("/usr/bin/busctl", call).lines == ["t 9"])
        let get = [
            "--address=\(service.bus.address)", "get-property", Counter.name, Counter.path.text, Counter.name, "Sum",
            "Name",
        ]
        #expect(try await ChildProcess.run("/usr/bin/busctl", get).lines == ["t 9", "s \"counter\""])
        let set = [
            "--address=\(service.bus.address)", "set-property", Counter.name, Counter.path.text, Counter.name, "Limit",
            "u", "5",
        ]
        #expect(try await ChildProcess.run("/usr/bin/busctl", set).status == 0)
        #expect(service.counter.limit == 5)
    }
}
