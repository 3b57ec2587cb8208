// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSupport

/// Turns a growing file of JSON lines into objects: lines as they are completed, the whole when it begins anew.
///
/// A line with the identifier of an earlier line replaces that object in its place; other objects come last. A line is
/// read when its line feed has come. A line at fault is left out; the first such line is the reported fault until the
/// file begins anew.
struct JSONLFollower: ~Copyable {
    private var limits: ObjectLimits
    private var decoder: JSONLDecoder
    /// The beginning of a line whose end has not been read yet.
    private var pending: [UInt8] = []
    /// The number of the next line.
    private var line = 1
    /// What is wrong with the first line that was left out: `invalidObject` or `payloadTooLarge` with its number.
    private(set) var fault: ListError?
    /// Whether the line that has begun is left out, because it is too long.
    private var isSkipping = false

    init(limits: ObjectLimits) throws(ListError) {
        self.limits = limits
        decoder = try JSONLDecoder(limits: limits)
    }

    /// Takes other limits for what is read from now on.
    ///
    /// - Throws: `limitsExceeded` without memory.
    mutating func setLimits(_ limits: ObjectLimits) throws(ListError) {
        guard limits != self.limits else { return }
        decoder = try JSONLDecoder(limits: limits)
        self.limits = limits
    }

    /// Reads a file that begins anew; answers its objects, each identifier once.
    mutating func begin(with bytes: [UInt8]) -> [ListObject] {
        line = 1
        pending.removeAll()
        fault = nil
        isSkipping = false
        return Self.lastOfEach(append(bytes))
    }

    /// Reads what was appended; answers the objects of the lines that are complete by now.
    mutating func append(_ bytes: [UInt8]) -> [ListObject] {
        let text = pending.isEmpty ? bytes : pending + bytes
        var objects: [ListObject] = []
        var start = 0
        while start < text.count {
            let end = JSONLDecoder.lineEnd(from: start, in: text.span)
            if end == text.count { break }
            if isSkipping { isSkipping = false } else { read(start..<end, of: text.span, into: &objects) }
            start = end + 1
            line += 1
        }
        pending = isSkipping ? [] : Array(text[start...])
        skipEndlessLine()
        return objects
    }

    private mutating func read(_ range: Range<Int>, of text: Span<UInt8>, into objects: inout [ListObject]) {
        do throws(ListError) {
            if let object = try decoder.object(at: range, of: text, line: line) { objects.append(object) }
        } catch {
            record(error)
        }
    }

    private mutating func record(_ error: ListError) {
        if fault == nil { fault = error }
    }

    /// A line that never ends must not fill the memory.
    private mutating func skipEndlessLine() {
        let most = JSONLDecoder.longestLine(limits)
        guard pending.count > most else { return }
        record(LimitKey.objectBytes.refusal(.payloadTooLarge, "line \(line): more than \(most) bytes"))
        pending = []
        isSkipping = true
    }

    /// Of objects with the same identifier the last one, where the first one stands.
    static func lastOfEach(_ objects: [ListObject]) -> [ListObject] {
        var places: [ObjectKey: Int] = [:]
        places.reserveCapacity(objects.count)
        var result: [ListObject] = []
        result.reserveCapacity(objects.count)
        for object in objects {
            let key = ObjectKey(object: object)
            if let place = places[key] {
                result[place] = object
            } else {
                places[key] = result.count
                result.append(object)
            }
        }
        return result
    }
}

/// An object as the key of a table: equal means the same identifier.
private struct ObjectKey: Hashable {
    let object: ListObject

    static func == (lhs: ObjectKey, rhs: ObjectKey) -> Bool { lhs.object.isSame(as: rhs.object) }

    func hash(into hasher: inout Hasher) { object.hash(into: &hasher) }
}
