internal import DBus
internal import ListKit

extension ViewObject {
    func setViewport(_ call: Call) throws {
        try check(call)
        let (seen, x, y, width, height) = try call.arguments(
            as: UInt64.self, Double.self, Double.self, Double.self, Double.self)
        for (name, value) in [("x", x), ("y", y), ("width", width), ("height", height)] where !value.isFinite {
            throw DBusError.invalidArgs("\(name) is \(value)")
        }
        for (name, value) in [("width", width), ("height", height)] where value < 0 {
            throw DBusError.invalidArgs("\(name) is negative: \(value)")
        }
        performForSequence(
            call, .setViewport(seen: seen, Rect(x: x, y: y, width: width, height: height)))
    }

    func setVisibleRange(_ call: Call) throws {
        try check(call)
        let (firstSection, firstItem, lastSection, lastItem) = try call.arguments(
            as: UInt32.self, UInt32.self, UInt32.self, UInt32.self)
        performForSequence(
            call,
            .setVisibleRange(
                first: IndexPath(section: Int(firstSection), item: Int(firstItem)),
                last: IndexPath(section: Int(lastSection), item: Int(lastItem))))
    }

    func acknowledge(_ call: Call) throws {
        try check(call)
        perform(call, .acknowledge(sequence: try call.arguments(as: UInt64.self))) { _, _ in true }
    }

    func resync(_ call: Call) throws {
        try check(call)
        perform(call, .resync) { answer, writer in
            guard case .picture(let picture) = answer else { return false }
            writer.append(picture)
            return true
        }
    }

    func close(_ call: Call) throws {
        try check(call)
        perform(call, .close) { _, _ in true }
    }

    private func performForSequence(_ call: Call, _ command: ViewCommand) {
        perform(call, command) { answer, writer in
            guard case .sequence(let sequence) = answer else { return false }
            writer.append(sequence)
            return true
        }
    }
}
