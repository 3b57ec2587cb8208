// SPDX-License-Identifier: Apache-2.0

/// An error of ListKit: a code, a message that names the thing at fault, and an optional cause.
///
/// All of ListKit throws this one type. The codes are the error names of the D-Bus contract.
@frozen public struct ListError: Error, Sendable, Hashable {
    /// The kind of failure. The raw value is its error name in the D-Bus contract.
    ///
    /// Codes may be added, so a `switch` outside of ListKit needs a `default`.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No adapter has this name.
        case noSuchAdapter = "NoSuchAdapter"
        /// An adapter with this name exists already.
        case adapterExists = "AdapterExists"
        /// The list has no object with this identifier.
        case noSuchObject = "NoSuchObject"
        /// The section has no such item.
        case noSuchItem = "NoSuchItem"
        /// No section controller has this name.
        case noSuchSectionController = "NoSuchSectionController"
        /// No plugin has this name.
        case noSuchPlugin = "NoSuchPlugin"
        /// A plugin was not loaded because of its owner, mode, file format or API version.
        case pluginRefused = "PluginRefused"
        /// A plugin violated its contract, stopped responding or crashed.
        case pluginFailed = "PluginFailed"
        /// The caller expected another revision than the current one.
        case revisionConflict = "RevisionConflict"
        /// The changes since the requested revision are no longer in the log, or the revision lies in the future.
        case revisionGone = "RevisionGone"
        /// Two objects of one list have the same identifier.
        case duplicateIdentifier = "DuplicateIdentifier"
        /// An object, or a value of its fields, is malformed.
        case invalidObject = "InvalidObject"
        /// The list has a source and accepts no writes.
        case readOnly = "ReadOnly"
        /// The list or view belongs to another client.
        case notOwner = "NotOwner"
        /// An object, identifier or message is larger than allowed.
        case payloadTooLarge = "PayloadTooLarge"
        /// The store could not write, such as on a full disk or an I/O error. Nothing was applied.
        case storeFailed = "StoreFailed"
        /// The source of the list cannot be written at the moment, or the outcome of the write is unknown.
        case sourceUnavailable = "SourceUnavailable"
        /// The service is stopping and accepts no writes.
        case shuttingDown = "ShuttingDown"
        /// An argument or option is unknown, malformed or out of range.
        case invalidArguments = "InvalidArgs"
        /// Part of a new configuration was rejected. The rest is in effect.
        case reloadIncomplete = "ReloadIncomplete"
        /// The caller lacks the right to do this.
        case accessDenied = "AccessDenied"
        /// The caller has reached a limit.
        case limitsExceeded = "LimitsExceeded"
    }

    /// The content, behind one reference. The size of types that contain an error is therefore fixed when the daemon
    /// is built, even if codes are added later.
    @usableFromInline let parts: Parts

    /// Makes an error. Message and cause are cut to 1 KiB together, and control characters in them are escaped.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        let message = ErrorText.bounded(message)
        let room = ErrorText.maximumMessageBytes - message.utf8.count - " ()".utf8.count
        parts = Parts(
            code: code, message: message, cause: room < 3 ? nil : cause.map { ErrorText.bounded($0, to: room) })
    }

    /// The kind of failure.
    public var code: Code { parts.code }
    /// One line that names the argument, object or plugin at fault.
    public var message: String { parts.message }
    /// The cause as text, such as an errno text, a line of a file or another error.
    public var cause: String? { parts.cause }
}

extension ListError {
    /// The code, message and cause of an error.
    @usableFromInline final class Parts: Sendable, Hashable {
        let code: Code
        let message: String
        let cause: String?

        init(code: Code, message: String, cause: String?) {
            (self.code, self.message, self.cause) = (code, message, cause)
        }

        @usableFromInline static func == (first: Parts, second: Parts) -> Bool {
            first.code == second.code && first.message == second.message && first.cause == second.cause
        }

        @usableFromInline func hash(into hasher: inout Hasher) {
            hasher.combine(code)
            hasher.combine(message)
            hasher.combine(cause)
        }
    }
}

extension ListError: CustomStringConvertible {
    /// The code, message and cause in one line.
    public var description: String {
        guard let cause else { return "\(code.rawValue): \(message)" }
        return "\(code.rawValue): \(message) (\(cause))"
    }
}

/// Functions that quote input in error messages and limit the length of messages.
///
/// Input is cut before it is escaped, so that the cost of an error message does not depend on the length of the
/// input.
enum ErrorText {
    /// The maximum length of an error's message and cause together, in bytes after escaping.
    static let maximumMessageBytes = 1024
    /// The maximum number of Unicode scalars of the input that a message quotes.
    static let maximumQuotedScalars = 64

    /// Returns the beginning of a text in quotation marks, ending in `…` if the text is longer.
    ///
    /// - Complexity: O(1). At most one scalar beyond the quoted ones is read from `text`.
    static func quote(_ text: some Sequence<Unicode.Scalar>) -> String {
        var (result, count) = ("“", 0)
        for scalar in text {
            guard count < maximumQuotedScalars else { return result + "…”" }
            result += escaped(scalar)
            count += 1
        }
        return result + "”"
    }

    /// Returns a text with terminal control characters escaped, cut at `limit` bytes and ending in `…` if it is
    /// longer. `limit` is at least 3.
    ///
    /// Line breaks are kept: they separate parts of a long message. Line breaks in quoted input were escaped before.
    /// - Complexity: O(`limit`).
    static func bounded(_ text: String, to limit: Int = maximumMessageBytes) -> String {
        if text.utf8.count <= limit, !text.unicodeScalars.contains(where: { $0 != "\n" && $0.mustBeEscaped }) {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            let part = scalar == "\n" ? "\n" : escaped(scalar)
            guard result.utf8.count + part.utf8.count <= limit - "…".utf8.count else { return result + "…" }
            result += part
        }
        return result
    }

    /// Returns the end of a path, which names the file; `…` replaces the beginning if the path is longer.
    ///
    /// - Complexity: O(1).
    static func shorten(path: some BidirectionalCollection<Unicode.Scalar>) -> String {
        let end = path.suffix(maximumQuotedScalars)
        return end.reduce(into: end.startIndex == path.startIndex ? "" : "…") { $0 += escaped($1) }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard scalar.mustBeEscaped else { return String(scalar) }
        return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls a terminal or is invisible in a line: control characters, line separators,
    /// directional and other format characters. Joiners are excepted, as some scripts and emoji cannot be read
    /// without them.
    @_spi(Daemon) public var mustBeEscaped: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return self != "\u{200C}" && self != "\u{200D}"
        default: return false
        }
    }
}

extension StringProtocol {
    /// The beginning of the text, quoted for an error message: at most 64 characters, escaped.
    public var quoted: String { ErrorText.quote(unicodeScalars) }

    /// The end of the text, which is a path, for an error message: at most 64 characters, escaped.
    public var shortenedPath: String { ErrorText.shorten(path: unicodeScalars) }
}

/// The content in an update's objects that built-in section controllers left out or replaced for one reason.
@_spi(Daemon) @frozen public struct ContentLoss: Sendable, Hashable {
    /// The reason why content was left out or replaced.
    @frozen public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// An element of `items` has no text as `id`, so it makes no item.
        case noItemID = "no-item-id"
        /// An element of `items` repeats the `id` of an earlier element, so it makes no item.
        case repeatedItemID = "repeated-item-id"
        /// A size, spacing or coordinate is not a finite number, so it counts as absent.
        case notANumber = "not-a-number"
    }

    /// The reason why content was left out or replaced.
    public var reason: Reason
    /// The number of occurrences in all objects.
    public var count: Int
    /// The identifier of the first object with such content.
    public var objectID: String
    /// The key of the content in the first object's fields, such as `items[2].height`.
    public var key: String

    /// Makes a loss.
    public init(reason: Reason, count: Int, objectID: String, key: String) {
        self.reason = reason
        self.count = count
        self.objectID = objectID
        self.key = key
    }
}
