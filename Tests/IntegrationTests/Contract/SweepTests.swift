// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import FoundationXML
import TestSupport
import Testing

/// Calls every method in the introspection data with random values of the declared types, as dfuzzer does.
@Suite("Calling every method with random arguments", .timeLimit(.minutes(30)))
@DBusActor
struct SweepTests {
    private static let isSoak = ProcessInfo.processInfo.environment["LISTD_SOAK"] != nil
    private let rounds = isSoak ? 500 : 5

    /// A method, as introspection describes it.
    private struct Method {
        let path: ObjectPath
        let interface: String
        let member: String
        let signature: Signature
    }

    /// Returns every method of the objects below a path.
    private func methods(_ path: ObjectPath, _ stage: Stage) async throws -> [Method] {
        let object = RemoteObject(
            stage.client, destination: Listd.name, path: path, interface: StandardInterface.introspectable)
        let xml = try await object.call("Introspect", returning: String.self)
        let root = try XMLDocument(xmlString: xml, options: [.nodeLoadExternalEntitiesNever]).rootElement()
        var found: [Method] = []
        for interface in root?.elements(forName: "interface") ?? [] {
            for method in interface.elements(forName: "method") {
                let types = method.elements(forName: "arg").filter { $0.attribute("direction") == "in" }
                    .map { $0.attribute("type") }.joined()
                found.append(
                    Method(
                        path: path, interface: interface.attribute("name"), member: method.attribute("name"),
                        signature: try Signature(types)))
            }
        }
        for child in root?.elements(forName: "node") ?? [] {
            let name = child.attribute("name")
            found += try await methods(ObjectPath(path == .root ? "/" + name : path.text + "/" + name), stage)
        }
        return found
    }

    @Test(
        "every method is called with random values of its types → every call is answered, and no descriptor is leaked",
        .rule("WT-01"),
        arguments: TransportKind.allCases)
    func sweep(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let adapter = try await stage.createAdapter("fixed")
        try await adapter.fill(10)
        let client = try await stage.connect(transport)
        let view = try await TestView(adapter, by: client)
        try await view.setViewport(y: 0)
        var arguments = RandomArguments(
            seed: 7,
            words: [
                "fixed", "o1", "o2", "first", "last", "before", "keep", "start", "jsonl", "updates", "row", "flow",
                "layout", "window", "animated", "n", Listd.name + ".Adapter", "Revision", "type='signal'",
            ])
        let all = try await methods(.root, stage)
        #expect(all.count > 60)
        let descriptors = openDescriptors(of: stage.listd.identifier)
        for _ in 0..<rounds {
            for method in all where !["Close", "Reload"].contains(method.member) {
                let object = RemoteObject(
                    client, destination: Listd.name, path: method.path, interface: method.interface)
                let message = try object.message(method.member) { (message) throws(DBusError) in
                    try message.write(values: arguments.values(of: method.signature))
                }
                let outcome = await errorInReply(to: message, client)
                #expect(outcome != StandardError.noReply.rawValue, "\(method.interface).\(method.member)")
                #expect(outcome != StandardError.disconnected.rawValue, "\(method.interface).\(method.member)")
            }
        }
        // Everything that the calls opened is closed with their client, except a few files that the daemon (or a
        // sanitizer) opens once.
        try await removeAdapters(stage)
        client.close()
        while openDescriptors(of: stage.listd.identifier) > descriptors + 8 { await Task.yield() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    /// Sends a call and returns the name of the error; `nil` for a success.
    private func errorInReply(to message: Message, _ client: Connection) async -> String? {
        do throws(DBusError) {
            _ = try await client.call(message, timeout: .seconds(60))
            return nil
        } catch {
            return error.name
        }
    }

    private func removeAdapters(_ stage: Stage) async throws {
        typealias Entry = DBusStruct<String, ObjectPath, [String: DBusValue]>
        let entries = try await stage.manager.call("ListAdapters", returning: [Entry].self)
        for entry in entries {
            try await stage.manager.call("RemoveAdapter", entry.members.0)
        }
    }

    private func openDescriptors(of process: Int32) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
    }
}
