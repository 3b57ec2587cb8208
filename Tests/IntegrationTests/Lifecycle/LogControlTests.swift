// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

/// The object with which `systemctl service-log-level` sets the log level.
@Suite("The control of the log", .timeLimit(.minutes(2)))
@DBusActor
struct LogControlTests {
    private static let path: ObjectPath = "/org/freedesktop/LogControl1"
    private static let interface = "org.freedesktop.LogControl1"

    private func properties(_ client: Connection) -> RemoteObject {
        RemoteObject(client, destination: Listd.name, path: Self.path, interface: StandardInterface.properties)
    }

    private func get(_ name: String, _ client: Connection) async throws -> DBusValue {
        try await properties(client).call("Get", Self.interface, name, returning: DBusValue.self).unwrapped
    }

    private func set(_ name: String, _ value: DBusValue, _ client: Connection) async -> String? {
        do throws(DBusError) {
            try await properties(client).call("Set", Self.interface, name, DBusValue.variant(value))
            return nil
        } catch {
            return error.name
        }
    }

    @Test(
        "an administrator sets the level → it is read back and in force; other words and properties → refused",
        .rule("AC-08"), arguments: TransportKind.allCases)
    func level(transport: TransportKind) async throws {
        let stage = try await Stage(arguments: TransportKind.arguments + ["--log-level", "error"])
        let client = try await stage.connect(transport)
        #expect(try await get("LogLevel", client) == .string("err"))
        #expect(try await get("LogTarget", client) == .string("console"))
        #expect(try await get("SyslogIdentifier", client) == .string("listd"))
        for word in ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"] {
            #expect(await set("LogLevel", .string(word), client) == nil)
            #expect(try await get("LogLevel", client) == .string(word))
            let text = try await stage.manager.call("Dump", returning: String.self)
            #expect(text.contains("log level \(["emerg", "alert", "crit", "err"].contains(word) ? "error" : word)\n"))
        }
        let invalid = Listd.standardError("InvalidArgs")
        for value: DBusValue in [.string("error"), .string(""), .string("DEBUG"), .uint32(7)] {
            #expect(await set("LogLevel", value, client) == invalid, "\(value)")
        }
        #expect(await set("LogTarget", .string("console"), client) == Listd.standardError("PropertyReadOnly"))
        #expect(await set("SyslogIdentifier", .string("x"), client) == Listd.standardError("PropertyReadOnly"))
        #expect(try await get("LogLevel", client) == .string("debug"))
        await stage.stop()
    }

    @Test(
        "a user who is no administrator sets the level, right or wrong → AccessDenied", .rule("AC-03", "AC-08"),
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func stranger(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let stranger = try await Agent(stage.address(transport), user: Agent.nobody)
        for value in [#""debug""#, #""loud""#, #"{"u":7}"#] {
            let answer = try await stranger.call(
                Self.path, StandardInterface.properties, "Set", "ssv", #"["\#(Self.interface)","LogLevel",\#(value)]"#)
            #expect(answer.error == Listd.standardError("AccessDenied"), "\(value)")
        }
        #expect(try await get("LogLevel", stage.client) == .string("info"))
        await stage.stop()
    }

    @Test("the object is introspected → its properties are read-only but LogLevel, with the annotations of systemd")
    func introspection() async throws {
        let stage = try await Stage()
        let object = RemoteObject(
            stage.client, destination: Listd.name, path: Self.path, interface: StandardInterface.introspectable)
        let text = try await object.call("Introspect", returning: String.self)
        let members = try InterfaceDescription(xml: text).interfaces[Self.interface]
        let annotation = "@org.freedesktop.DBus.Property.EmitsChangedSignal"
        #expect(
            members == [
                "property LogLevel sreadwrite \(annotation)=false", "property LogTarget sread \(annotation)=false",
                "property SyslogIdentifier sread \(annotation)=const",
            ])
        await stage.stop()
    }
}
