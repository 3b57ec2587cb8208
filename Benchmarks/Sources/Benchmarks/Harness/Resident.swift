// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The measurement of resident memory in a process of its own. `Benchmarks --resident NAME COUNT` prints the resident
/// bytes and the raw bytes of a data structure.
enum Resident {
    /// The functions that create a data structure to measure, by name. Each returns a reference that keeps the
    /// structure alive, and the number of raw bytes in it.
    private static let makers: [String: @Sendable (_ count: Int) -> (Any, Int)] = [
        "tree": TreeRows.residentTree, "adapter": AdapterRows.residentList,
    ]

    /// Returns the resident bytes and the raw bytes of a data structure with the given number of objects.
    static func measure(_ name: String, count: Int = 1_000_000) -> (resident: Double, raw: Double) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--resident", name, "\(count)"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { fatalError("cannot start a process to measure memory") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else { fatalError("the process that measures memory printed “\(text)”") }
        return (numbers[0], numbers[1])
    }

    /// Creates the data structure with the given name, and prints its resident and raw bytes.
    static func print(_ name: String, count: Int) {
        guard let make = makers[name] else { fatalError("there is no data structure “\(name)” to measure") }
        let before = residentBytes()
        let (kept, raw) = make(count)
        withExtendedLifetime(kept) { Swift.print("\(residentBytes() - before) \(raw)") }
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
