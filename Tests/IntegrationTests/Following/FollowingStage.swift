// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import TestSupport
import Testing

extension Stage {
    /// Creates a list that follows the list `base`.
    func createFollower(
        _ name: String, of base: String, _ argument: String = "", _ options: [String: DBusValue] = [:],
        by client: Connection? = nil
    ) async throws -> TestAdapter {
        let source = DBusValue.string("list:\(base)" + (argument.isEmpty ? "" : "?" + argument))
        let options = options.merging(["source": source, "durability": .string("memory")]) { given, _ in given }
        let manager = object(Listd.manager, "Manager", by: client)
        return TestAdapter(
            stage: self, path: try await manager.call("CreateAdapter", name, options, returning: ObjectPath.self))
    }

    /// Returns the list with a name. Does not check that the list exists.
    func list(_ name: String) throws -> TestAdapter {
        TestAdapter(stage: self, path: try ObjectPath("/org/listd/Listd1/adapters/\(name)"))
    }

    /// Returns the error that `body` throws; `nil` if `body` succeeds.
    func error(_ body: () async throws -> Void) async -> DBusError? {
        do {
            try await body()
            return nil
        } catch {
            return DBusError(error)
        }
    }
}

extension TestAdapter {
    /// Waits until the list is in a state.
    func wait(until state: String) async throws {
        while try await by(stage.client).property("State", as: String.self) != state {}
    }

    /// Waits until the list has objects with these ids, in this order.
    func wait(forIDs ids: [String]) async throws {
        while try await objects().rows.map(\.id) != ids {}
    }

    /// Waits until the list has a number of objects.
    func wait(forCount count: UInt32) async throws {
        while try await by(stage.client).property("ObjectCount", as: UInt32.self) != count {}
    }
}
