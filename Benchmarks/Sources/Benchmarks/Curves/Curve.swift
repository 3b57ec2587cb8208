// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The lines of one chart that shows how a quantity grows with a size. Each line has a figure for each size.
struct Curve {
    /// The name of the file, without its extension.
    let name: String
    let title: String
    /// The quantity that the sizes count.
    let sizes: String
    let unit: Unit
    private(set) var lines: [Line] = []

    /// The unit of the figures.
    enum Unit {
        case milliseconds
        case mebibytes
    }

    /// A line of the chart, with its figures.
    struct Line {
        let name: String
        var points: [(size: Int, value: Double)] = []
    }

    init(_ name: String, _ title: String, sizes: String, unit: Unit = .milliseconds) {
        (self.name, self.title, self.sizes, self.unit) = (name, title, sizes, unit)
    }

    /// Adds a point to the line with the given name.
    mutating func addPoint(to line: String, size: Int, value: Double) {
        let index = lines.firstIndex { $0.name == line } ?? lines.endIndex
        if index == lines.endIndex { lines.append(Line(name: line)) }
        lines[index].points.append((size, value))
        // The figure is also printed immediately, because a run takes minutes.
        FileHandle.standardError.write(Data("\(name): \(line), \(size): \(unit.text(value))\n".utf8))
    }

    /// The figures as a table with a row for each size.
    var table: String {
        let sizes = Set(lines.flatMap { $0.points.map(\.size) }).sorted()
        let head = [self.sizes] + lines.map(\.name)
        let rows = sizes.map { size in
            [Self.grouped(size)]
                + lines.map { line in line.points.first { $0.size == size }.map { unit.text($0.value) } ?? "–" }
        }
        let rule = Array(repeating: "---", count: head.count)
        return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    /// Returns a number with separators between the thousands.
    static func grouped(_ number: Int) -> String {
        var (digits, text) = (String(number)[...], "")
        while digits.count > 3 {
            text = "," + digits.suffix(3) + text
            digits = digits.dropLast(3)
        }
        return digits + text
    }
}

extension Curve.Unit {
    /// Returns a figure with two significant digits, in the unit that makes it short.
    func text(_ value: Double) -> String {
        let steps: [(size: Double, name: String)] =
            switch self {
            case .milliseconds: [(1000, "s"), (1, "ms"), (1e-3, "µs"), (1e-6, "ns")]
            case .mebibytes: [(1024, "GiB"), (1, "MiB"), (1.0 / 1024, "KiB")]
            }
        let step = steps.first { value >= $0.size * 0.9995 } ?? steps[steps.count - 1]
        let number = value / step.size
        let digits = number < 9.95 ? 1 : 0
        let short = String(format: "%.\(digits)f", number)
        return (short.hasSuffix(".0") ? String(short.dropLast(2)) : short) + " " + step.name
    }
}

/// Functions that measure the figures of curves.
enum CurveClock {
    /// Returns the median of the figures that `body` returns, after a first call to warm up. Longer work is repeated
    /// less often.
    static func median(ofAtMost times: Int, _ body: () -> Double) -> Double {
        let first = body()
        // At least three calls, and at most about four seconds of calls.
        let count = max(3, min(times, Int(4000 / max(first, 0.001))))
        return (0..<count).map { _ in body() }.sorted()[count / 2]
    }

    /// Returns the milliseconds of this process's CPU time that `body` takes.
    static func cpuTime(of body: () -> Int) -> Double {
        let start = Runner.cpuTime()
        blackHole(body())
        return Runner.cpuTime() - start
    }
}
