// SPDX-License-Identifier: Apache-2.0

/// An error in a list: a code, a message that names the thing at fault, and the cause if there is one.
///
/// One type for all of ListKit. The codes are the error names of the D-Bus contract.
@frozen public struct ListError: Error, Sendable, Hashable {
    /// The kinds of failure; the raw value is the name that the D-Bus contract gives it.
    ///
    /// Codes may be added: a `switch` outside of ListKit needs a default.
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
        /// A plugin was not loaded: owner, mode, file format or API version.
        case pluginRefused = "PluginRefused"
        /// A plugin broke its contract, stopped answering or died.
        case pluginFailed = "PluginFailed"
        /// The caller expected another revision than the current one.
        case revisionConflict = "RevisionConflict"
        /// The changes since the requested revision are not kept any more, or it lies in the future.
        case revisionGone = "RevisionGone"
        /// Two objects of one list have the same identifier.
        case duplicateIdentifier = "DuplicateIdentifier"
        /// An object, or a value in it, is malformed.
        case invalidObject = "InvalidObject"
        /// The list has a source and takes no writes.
        case readOnly = "ReadOnly"
        /// The list or view belongs to another client.
        case notOwner = "NotOwner"
        /// An object, identifier or message is larger than allowed.
        case payloadTooLarge = "PayloadTooLarge"
        /// The store refused: disk full, I/O error; nothing was applied.
        case storeFailed = "StoreFailed"
        /// The source of the list cannot be written at present, or the outcome of the write is unknown.
        case sourceUnavailable = "SourceUnavailable"
        /// The service is stopping and takes no writes.
        case shuttingDown = "ShuttingDown"
        /// An argument or option is unknown, malformed or out of range.
        case invalidArguments = "InvalidArgs"
        /// Some of a new configuration was left out; the rest is in effect.
        case reloadIncomplete = "ReloadIncomplete"
        /// The caller may not do this.
        case accessDenied = "AccessDenied"
        /// The caller has reached a limit.
        case limitsExceeded = "LimitsExceeded"
    }

    /// One reference, so that the size of types that may hold an error is known when the daemon is built, even if codes are
    /// added.
    @usableFromInline let parts: Parts

    /// Makes an error; message and cause are cut to 1 KiB together, and control characters in them are escaped.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        let message = ErrorText.bounded(message)
        let room = ErrorText.longestMessage - message.utf8.count - " ()".utf8.count
        parts = Parts(
            code: code, message: message, cause: room < 3 ? nil : cause.map { ErrorText.bounded($0, to: room) })
    }

    /// The kind of failure.
    public var code: Code { parts.code }
    /// One line that names the argument, object or plugin at fault.
    public var message: String { parts.message }
    /// The cause, in words: an errno text, a line of a file, another error.
    public var cause: String? { parts.cause }
}

extension ListError {
    /// The content of an error.
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
    /// Code, message and cause in one line.
    public var description: String {
        guard let cause else { return "\(code.rawValue): \(message)" }
        return "\(code.rawValue): \(message) (\(cause))"
    }
}
