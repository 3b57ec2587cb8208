// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

/// Clients follow a list while other clients are stopped, killed or drop signals. At the end, each remaining client
/// must have the daemon's list, on every transport. `make soak` (LISTD_SOAK=1) runs the test at full length.
/// LISTD_SOAK_SETTING=direct (bus, narrowBus) runs it on one transport only.
@Suite("Convergence of clients with the daemon's list", .timeLimit(.minutes(60)))
@DBusActor
struct ConvergenceTests {
    /// The kind of connection between listd and its clients.
    enum Setting: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case bus, narrowBus, direct

        var testDescription: String { rawValue }

        var kind: PrivateBus.Kind {
            self == .narrowBus ? .limited(["max_outgoing_bytes": 65536]) : .session
        }
        var transport: TransportKind { self == .direct ? .direct : .bus }
    }

    private static let isSoak = ProcessInfo.processInfo.environment["LISTD_SOAK"] != nil
    private nonisolated static let chosen = ProcessInfo.processInfo.environment["LISTD_SOAK_SETTING"] ?? ""
    private nonisolated static let settings = Setting(rawValue: chosen).map { [$0] } ?? Setting.allCases
    private let transactions = isSoak ? 10_000 : 150
    private let eachKind = isSoak ? 10 : 3

    @Test(
        "clients stop, die or drop signals during random transactions → the remaining clients' copies equal the list",
        arguments: settings)
    func converge(setting: Setting) async throws {
        let stage = try await Stage.withDirectSocket(setting.kind)
        let address = stage.address(setting.transport)
        let adapter = try await stage.createAdapter("shared", ["reload-threshold": .uint32(40)])
        var writer = RandomWriter(adapter.by(try await stage.connect(setting.transport)), seed: 42)
        for _ in 0..<20 { try await writer.write() }
        var swift: [SwiftFollower] = []
        for _ in 0..<eachKind { swift.append(try await SwiftFollower(address: address, list: "shared")) }
        let python = try await startPythonFollowers(address, adapter.path)
        var memory: [Int] = []
        for step in 0..<transactions {
            try await writer.write()
            disturb(python, at: step)
            if step % 50 == 0 { swift[step / 50 % eachKind].scroll(to: Double(step % 40) * 50) }
            if step % max(1, transactions / 10) == 0 {
                let resident = residentBytes(of: stage.listd.identifier)
                memory.append(resident)
                if Self.isSoak {
                    // For a client that does not read, listd queues up to 1 MiB of signals. All further waiting signals
                    // are in the client's socket.
                    let counters = try await stage.statistics()
                    print(
                        setting.rawValue, step, "transactions, listd", resident / 1024, "KiB,",
                        counters["direct-clients-behind"] ?? 0, "clients behind", python.map(\.state).joined())
                }
            }
        }
        for client in python { client.signal(SIGCONT) }
        for client in swift {
            let difference = try await client.difference(at: writer.revision)
            #expect(difference == nil, "\(difference ?? "")")
        }
        for client in python.dropFirst() {
            let report = try await client.finish(at: writer.revision)
            #expect(report.hasPrefix("0: equal at "), "\(report)")
            if Self.isSoak { print(setting.rawValue, report) }
        }
        if Self.isSoak {
            print(setting.rawValue, "resident memory of listd in KiB:", memory.map { $0 / 1024 })
            #expect(memory[memory.count - 1] < memory[1] * 3 / 2 + 16 << 20)
        }
        #expect(await stage.stop().status == 0)
    }

    private func startPythonFollowers(_ address: String, _ adapter: ObjectPath) async throws -> [PythonFollower] {
        var clients: [PythonFollower] = []
        for number in 0..<eachKind {
            clients.append(
                try await PythonFollower(
                    address: address, adapter: adapter, drop: number == 1 ? 5 : 0, seed: number))
        }
        return clients
    }

    /// Kills the first client during the test, and stops the third and later clients in turns.
    private func disturb(_ clients: [PythonFollower], at step: Int) {
        let (phase, period) = (step % 60, step / 60)
        let stopped = clients[2 + period % (clients.count - 2)]
        if phase == 10 { stopped.signal(SIGSTOP) }
        if phase == 50 { stopped.signal(SIGCONT) }
        if step == transactions / 2 { clients[0].signal(SIGKILL) }
    }

    private func residentBytes(of process: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
