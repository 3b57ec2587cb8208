// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The program `Benchmarks --curves DIRECTORY [--largest N] [--only NAME]…`. It measures how costs grow, draws a
/// picture of each curve into the directory, and prints the figures.
enum Curves {
    private static let all: [(name: String, measure: @Sendable (_ largest: Int) -> Curve)] = [
        ("engine", EngineCurves.times), ("memory", EngineCurves.memory), ("store", BusCurves.stored),
        ("bus", BusCurves.sizes), ("views", BusCurves.views), ("subscribers", BusCurves.subscribers),
    ]

    /// - Parameter largest: the largest size to measure. A smaller number takes less memory and time.
    static func draw(into directory: String, only: [String], upTo largest: Int) throws {
        let directory = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, measure) in all where only.isEmpty || only.contains(where: { name.contains($0) }) {
            let before = load
            let curve = measure(largest)
            let note = "\(today), \(machine), load \(before) before and \(load) after"
            try CurveChart(curve, note: note).svg.write(
                to: directory.appending(path: name + ".svg"), atomically: true, encoding: .utf8)
            print("## \(curve.title)\n\n\(note)\n\n\(curve.table)")
            fflush(nil)
        }
    }

    private static var today: String {
        let date = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
        return String(format: "%04d-%02d-%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
    }

    /// The name of the processor and the number of processors, from the kernel.
    private static var machine: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let names = text.split(separator: "\n").filter { $0.hasPrefix("model name") }
        let name = names.first?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        return "\(names.count) × \(name)"
    }

    /// The load average of the last minute.
    private static var load: String {
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
        return text.split(separator: " ").first.map(String.init) ?? "unknown"
    }
}
