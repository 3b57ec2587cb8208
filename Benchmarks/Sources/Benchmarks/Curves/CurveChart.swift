// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A picture of a curve. Both axes are logarithmic, so that a cost that grows with the size is a rising line, and a
/// constant cost a level one. The colours follow the reader's theme.
struct CurveChart {
    private let curve: Curve
    private let note: String
    private let sizes: ClosedRange<Int>
    private let values: ClosedRange<Int>

    private static let (width, height) = (720.0, 330.0)
    private static let (left, right, top, bottom) = (62.0, 214.0, 44.0, 46.0)
    /// The minimum distance between two names at the ends of lines.
    private static let lineHeight = 16.0

    /// - Parameter note: the description in the picture, which says on which machine the curve was measured.
    init(_ curve: Curve, note: String) {
        func decades(spanning values: [Double]) -> ClosedRange<Int> {
            let (least, most) = (values.min() ?? 1, values.max() ?? 1)
            let (first, last) = (Int(floor(log10(least) + 1e-9)), Int(ceil(log10(most) - 1e-9)))
            return first...max(last, first + 1)
        }
        let points = curve.lines.flatMap(\.points)
        self.curve = curve
        self.note = note
        sizes = decades(spanning: points.map { Double($0.size) })
        values = decades(spanning: points.map { max($0.value, 1e-7) })
    }

    /// The picture as SVG.
    var svg: String {
        let end = (x: Self.width - Self.right, y: Self.height - Self.bottom)
        var text = head
        for decade in sizes {
            let x = position(of: decade, in: sizes, from: Self.left, to: end.x)
            text += "<path class=\"g\" d=\"M\(f(x)) \(f(Self.top))V\(f(end.y))\"/>"
            text += "<text x=\"\(f(x))\" y=\"\(f(end.y + 18))\" text-anchor=\"middle\">\(sizeText(of: decade))</text>\n"
        }
        text += "<text x=\"\(f((Self.left + end.x) / 2))\" y=\"\(f(end.y + 36))\" text-anchor=\"middle\">"
        text += "\(Self.escaped(curve.sizes))</text>\n"
        for decade in values {
            let y = position(of: decade, in: values, from: end.y, to: Self.top)
            text += "<path class=\"g\" d=\"M\(f(Self.left)) \(f(y))H\(f(end.x))\"/>"
            text += "<text x=\"\(f(Self.left - 8))\" y=\"\(f(y + 4))\" text-anchor=\"end\">"
            text += "\(curve.unit.text(pow(10, Double(decade))))</text>\n"
        }
        return text + lines(to: end) + "</svg>\n"
    }

    private var head: String {
        let (width, height) = (Int(Self.width), Int(Self.height))
        let light = ["#0969da", "#bc4c00", "#1a7f37", "#8250df"], dark = ["#58a6ff", "#f0883e", "#3fb950", "#bc8cff"]
        func styleRules(for colours: [String]) -> String {
            colours.enumerated().map { ".c\($0){stroke:\($1)}.t\($0),.d\($0){fill:\($1)}" }.joined()
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
            font-family="system-ui,sans-serif" font-size="12"><title>\(Self.escaped(curve.title))</title>
            <desc>\(Self.escaped(note))</desc>
            <style>.b{fill:#fff}text{fill:#57606a}.h{fill:#24292f;font-size:14px;font-weight:600}.g{stroke:#d8dee4}\
            .l{fill:none;stroke-width:2}\(styleRules(for: light))@media(prefers-color-scheme:dark){.b{fill:#0d1117}\
            text{fill:#9198a1}.h{fill:#f0f6fc}.g{stroke:#30363d}\(styleRules(for: dark))}</style>
            <rect class="b" width="\(width)" height="\(height)" rx="8"/>
            <text class="h" x="16" y="26">\(Self.escaped(curve.title))</text>

            """
    }

    private func lines(to end: (x: Double, y: Double)) -> String {
        var (text, names) = ("", [(index: Int, y: Double, text: String)]())
        for (index, line) in curve.lines.enumerated() {
            let points = line.points.map { point in
                (
                    position(of: log10(Double(point.size)), in: sizes, from: Self.left, to: end.x),
                    position(of: log10(max(point.value, 1e-7)), in: values, from: end.y, to: Self.top)
                )
            }
            guard let last = points.last else { continue }
            let colour = index % 4
            let path = points.map { "\(f($0.0)) \(f($0.1))" }.joined(separator: "L")
            text += "<path class=\"l c\(colour)\" d=\"M\(path)\"/>"
            for (point, place) in zip(line.points, points) {
                text += "<circle class=\"d\(colour)\" cx=\"\(f(place.0))\" cy=\"\(f(place.1))\" r=\"3\"><title>"
                text += "\(Curve.grouped(point.size)): \(curve.unit.text(point.value))</title></circle>"
            }
            text += "\n"
            names.append((colour, last.1, line.name))
        }
        // Each name is beside the end of its line, or below another name where lines end close to each other.
        names.sort { $0.y < $1.y }
        var lowest = -Double.infinity
        for place in names.indices {
            names[place].y = max(names[place].y, lowest + Self.lineHeight)
            lowest = names[place].y
        }
        let beyond = max(0, lowest - end.y)
        for name in names {
            text += "<text class=\"t\(name.index)\" x=\"\(f(end.x + 10))\" y=\"\(f(name.y - beyond + 4))\">"
            text += "\(Self.escaped(name.text))</text>\n"
        }
        return text
    }

    private func position(of decade: Int, in decades: ClosedRange<Int>, from start: Double, to end: Double) -> Double {
        position(of: Double(decade), in: decades, from: start, to: end)
    }

    private func position(of exponent: Double, in decades: ClosedRange<Int>, from start: Double, to end: Double)
        -> Double
    {
        start + (exponent - Double(decades.lowerBound)) / Double(decades.count - 1) * (end - start)
    }

    /// Returns the text of a power of ten.
    private func sizeText(of decade: Int) -> String { Curve.grouped(Int(pow(10, Double(decade)))) }

    /// Returns a coordinate as text with at most one decimal place.
    private func f(_ number: Double) -> String {
        let text = String(format: "%.1f", number)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
