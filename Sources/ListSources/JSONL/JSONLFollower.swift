// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSupport

/// Converts a growing file of JSON lines into objects: new lines as they are completed, or all lines when the file
/// has new content.
///
/// A line with the identifier of an earlier object replaces this object at its position; other lines append an object.
/// A line is read when its line feed has arrived. A faulty line is skipped. The first skipped line is reported as the
/// fault until the file has new content.
struct JSONLFollower: ~Copyable {
    private var limits: ObjectLimits
    private var decoder: JSONLDecoder
    /// The beginning of a line without its line feed.
    private var pending: [UInt8] = []
    /// The number of the next line.
    private var line = 1
    /// The error of the first skipped line: `invalidObject` or `payloadTooLarge` with its line number.
    private(set) var fault: ListError?
    /// Whether the current line is skipped because it is too long.
    private var isSkipping = false

    init(limits: ObjectLimits, identify: Identify = .none) throws(ListError) {
        self.limits = limits
        decoder = try JSONLDecoder(limits: limits, identify: identify)
    }

    /// Changes the limits for lines that are read from now on.
    mutating func setLimits(_ limits: ObjectLimits) {
        guard limits != self.limits else { return }
        decoder.setLimits(limits)
        self.limits = limits
    }

    /// Reads the whole content of a file. Returns its objects, each identifier once.
    mutating func begin(with bytes: [UInt8]) -> [ListObject] {
        line = 1
        pending.removeAll()
        fault = nil
        isSkipping = false
        decoder.beginList()
        return Self.lastObjectOfEachID(in: append(bytes))
    }

    /// Reads appended bytes. Returns the objects of the lines that are now complete.
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
        skipOverlongLine()
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

    /// Discards an incomplete line that exceeds the limit, so that it cannot fill the memory.
    private mutating func skipOverlongLine() {
        let most = JSONLDecoder.longestLine(limits)
        guard pending.count > most else { return }
        record(LimitKey.objectBytes.refusal(.payloadTooLarge, "line \(line) has more than \(most) bytes"))
        pending = []
        isSkipping = true
    }

    /// Returns the last object for each identifier, at the position of the first object with this identifier.
    static func lastObjectOfEachID(in objects: [ListObject]) -> [ListObject] {
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

/// A dictionary key for objects: objects with the same identifier are equal.
private struct ObjectKey: Hashable {
    let object: ListObject

    static func == (lhs: ObjectKey, rhs: ObjectKey) -> Bool { lhs.object.isSame(as: rhs.object) }

    func hash(into hasher: inout Hasher) { object.hash(into: &hasher) }
}
