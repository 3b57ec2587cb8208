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
