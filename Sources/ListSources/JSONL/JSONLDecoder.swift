// SPDX-License-Identifier: Apache-2.0

internal import Glibc
@_spi(Daemon) package import ListKit
internal import ListSupport

/// A decoder of the format `jsonl`: one object per line, `{"id": "...", "type": "...", "fields": {...}}`.
///
/// A missing type or missing fields are empty, and blank lines are skipped. Anything else is an error that names the
/// line.
package struct JSONLDecoder: ~Copyable {
    private var limits: ObjectLimits
    private var parser: JSONParser
    private var maker: JSONLObjects

    /// Creates a decoder.
    ///
    /// - Parameter identify: the identifiers of objects without one.
    /// - Throws: `limitsExceeded` when there is no memory.
    package init(limits: ObjectLimits = ObjectLimits(), identify: Identify = .none) throws(ListError) {
        self.limits = limits
        parser = try JSONParser()
        maker = JSONLObjects(limits: limits, identify: identify)
    }

    /// Changes the limits for lines that are read from now on.
    mutating func setLimits(_ limits: ObjectLimits) {
        self.limits = limits
        maker.limits = limits
    }

    /// Begins another list: identifiers that are made of contents are counted anew.
    mutating func beginList() { maker.beginList() }

    /// Returns the maximum length of a line with a valid object, in bytes. Text takes twice its length when all its
    /// characters are escaped.
    package static func longestLine(_ limits: ObjectLimits) -> Int {
        2 * limits.objectBytes + 4 * limits.idBytes + 1024
    }

    /// Decodes all lines of a text. The last line needs no line feed.
    ///
    /// - Parameter firstLine: the number of the first line, for error messages.
    /// - Throws: `invalidObject` or `payloadTooLarge` with the number of the first faulty line; see
    ///   ``object(at:of:line:)``.
    /// - Complexity: O(bytes).
    package mutating func objects(in bytes: Span<UInt8>, firstLine: Int = 1) throws(ListError) -> [ListObject] {
        var objects: [ListObject] = []
        var start = 0
        var line = firstLine
        while start < bytes.count {
            let end = Self.lineEnd(from: start, in: bytes)
            if let object = try object(at: start..<end, of: bytes, line: line) { objects.append(object) }
            start = end + 1
            line += 1
        }
        return objects
    }

    /// Decodes the object of one line; nil for a blank line.
    ///
    /// - Throws: `invalidObject` for a line that is not JSON or not an object as described, and for values that no
    ///   D-Bus message can carry; `payloadTooLarge` beyond the limits.
    package mutating func object(
        at range: Range<Int>, of bytes: Span<UInt8>, line: Int
    ) throws(ListError) -> ListObject? {
        guard !Self.isBlank(range, of: bytes) else { return nil }
        do throws(ListError) {
            guard range.count <= Self.longestLine(limits) else {
                throw LimitKey.objectBytes.refusal(
                    .payloadTooLarge, "the line has \(range.count) bytes, more than \(Self.longestLine(limits))")
            }
            let object = try parser.parse(range, of: bytes) { tape throws(ListError) in try maker.object(of: tape) }
            try limits.checkSize(of: object)
            return object
        } catch {
            throw ListError(error.code, "line \(line): \(error.message)", cause: error.cause)
        }
    }

    /// Returns the end of the line that starts at a position: the next line feed, or the end of the bytes.
    package static func lineEnd(from start: Int, in bytes: Span<UInt8>) -> Int {
        let rest = bytes.extracting(start...)
        // `memchr` only reads the bytes, and only during the call.
        return unsafe rest.withUnsafeBytes { buffer in
            guard let first = buffer.baseAddress,
                let found = unsafe memchr(first, Int32(UInt8(ascii: "\n")), buffer.count)
            else { return bytes.count }
            return unsafe start + (UnsafeRawPointer(found) - first)
        }
    }

    private static func isBlank(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
        for position in range {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default: return false
            }
        }
        return true
    }
}
