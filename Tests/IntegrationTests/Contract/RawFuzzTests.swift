// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// Sends calls that python3-dbus wrote (`seeds/`), with random bytes changed, removed and inserted.
@Suite("Malformed bytes on the direct socket", .timeLimit(.minutes(30)))
@DBusActor
struct RawFuzzTests {
    private static let isSoak = ProcessInfo.processInfo.environment["LISTD_SOAK"] != nil
    private let rounds = isSoak ? 20_000 : 150

    private static let seeds: [[UInt8]] = {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "seeds")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.sorted().map { name in
            let text = (try? String(contentsOf: directory.appending(path: name), encoding: .utf8)) ?? ""
            let digits = text.filter(\.isHexDigit)
            return stride(from: 0, to: digits.count - 1, by: 2).map { offset in
                let start = digits.index(digits.startIndex, offsetBy: offset)
                return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
            }
        }
    }()

    @Test(
        "a client sends mutated calls → the client is answered or disconnected, and all other clients are served",
        .rule("ER-02"))
    func mutated() async throws {
        #expect(Self.seeds.count >= 8 && Self.seeds.allSatisfy { $0.count > 100 })
        let stage = try await Stage.withDirectSocket(files: ["listd.conf": "[Limits]\nDirectConnections=64\n"])
        let path = stage.listd.directory.appending(path: "direct").path
        let adapter = try await stage.createAdapter("seed", ["working-range": .uint32(2)])
        try await adapter.fill(3)
        let witness = try await stage.connect(.direct)
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        let admission = Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8)
        var random = SeededRandom(seed: 2026)
        for round in 0..<rounds {
            var bytes: [UInt8] = []
            for _ in 0...Int(random.next() % 3) { bytes += mutate(random.pick(Self.seeds) ?? [], &random) }
            let stranger = try StrangerSocket(path: path)
            stranger.write(admission + bytes)
            stranger.endWriting()
            let isDisconnected = stranger.readsToTheEnd()
            #expect(isDisconnected, "round \(round)")
            if round % 10 == 0 {
                _ = try await adapter.by(witness).call("ReloadObjects", [String](), returning: UInt64.self)
            }
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    private func mutate(_ seed: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int(random.next() % 6) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch random.next() % 6 {
            case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes[place] = random.pick([0, 1, 0x7f, 0x80, 0xff, UInt8(ascii: "a"), UInt8(ascii: "(")]) ?? 0
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
            case 4: bytes.removeLast(bytes.count - place)
            default:
                let end = min(bytes.count, place + Int(random.next() % 16))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            }
        }
        return bytes
    }
}
