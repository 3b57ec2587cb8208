internal import ListKit

/// Turns a growing file of JSON lines into objects: lines as they are completed, the whole when it begins anew.
///
/// A line with the identifier of an earlier one replaces that object where it stands; others go last. A line without its
/// line feed waits for it. After a fault nothing is read until the file begins anew: what follows cannot mend it.
struct JSONLFollower: ~Copyable {
    private var limits: ObjectLimits
    private var decoder: JSONLDecoder
    /// The beginning of a line whose end has not come yet.
    private var pending: [UInt8] = []
    /// The number of the next line.
    private var line = 1
    /// Whether a line was at fault.
    private(set) var hasFault = false

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
    ///
    /// - Throws: `invalidObject` or `payloadTooLarge` with the number of the first line at fault.
    mutating func begin(with bytes: [UInt8]) throws(ListError) -> [ListObject] {
        line = 1
        pending.removeAll()
        hasFault = false
        let (objects, fault) = append(bytes)
        if let fault { throw fault }
        return Self.lastOfEach(objects)
    }

    /// Reads what was appended; answers the objects of the lines that are complete by now, up to the first at fault.
    mutating func append(_ bytes: [UInt8]) -> (objects: [ListObject], fault: ListError?) {
        if hasFault { return ([], nil) }
        let text = pending.isEmpty ? bytes : pending + bytes
        var objects: [ListObject] = []
        var start = 0
        do throws(ListError) {
            while start < text.count {
                let end = JSONLDecoder.lineEnd(from: start, in: text.span)
                if end == text.count { break }
                if let object = try decoder.object(at: start..<end, of: text.span, line: line) {
                    objects.append(object)
                }
                start = end + 1
                line += 1
            }
            pending = Array(text[start...])
            try checkPending()
            return (objects, nil)
        } catch {
            hasFault = true
            pending.removeAll()
            return (objects, error)
        }
    }

    /// A line that never ends must not fill the memory.
    private func checkPending() throws(ListError) {
        let most = JSONLDecoder.longestLine(limits)
        guard pending.count <= most else {
            throw ListError(.payloadTooLarge, "line \(line): more than \(most) bytes")
        }
    }

    private static func lastOfEach(_ objects: [ListObject]) -> [ListObject] {
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
