// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSupport

/// The state of an adapter: the property `State`.
package enum AdapterState: String, Sendable {
    /// The list is being filled from its source or the store.
    case loading
    /// The list is complete and in use.
    case ready
    /// The worker of the list's plugin is being restarted; the list keeps its objects.
    case paused
    /// The list's source failed or is missing. The list keeps its objects, and `SourceError` has the reason.
    case failed
}

/// The loading state of a list: the states of its source and its host, and its missing parts.
struct Filling: Equatable {
    private var sourceState: AdapterState
    /// Whether the host has no presenter, because a worker is being restarted.
    private var isPaused = false
    /// Whether a required plugin was missing when the list was restored from the store.
    private(set) var isIncomplete = false
    /// Whether objects of the source were too large, so that the list lacks them.
    private(set) var lacksObjects = false
    /// The reason for the state `failed`; empty in every other state.
    private(set) var failure = ""
    /// The error of the part of the source that cannot be read, while the list has the rest; empty = no error.
    private(set) var fault = ""

    init(_ state: AdapterState) { sourceState = state }

    /// The property `State`.
    var state: AdapterState { isPaused ? .paused : sourceState }

    /// The property `SourceError`.
    var error: String { failure.isEmpty ? fault : failure }

    /// Enters a state other than `failed`.
    mutating func setState(_ new: AdapterState) {
        sourceState = new
        failure = ""
    }

    /// Enters the state `failed`, because the source cannot be read or is missing.
    mutating func fail(_ reason: String) {
        sourceState = .failed
        failure = reason
    }

    /// Records the error of the part of the source that cannot be read; empty = no error.
    mutating func setFault(_ reason: String) { fault = reason }

    /// Records whether the host has lost its presenter.
    mutating func setPaused(_ flag: Bool) { isPaused = flag }

    /// Records whether a required plugin is missing.
    mutating func setIncomplete(_ flag: Bool) { isIncomplete = flag }

    /// Records whether the list lacks objects of its source.
    mutating func setLacksObjects(_ flag: Bool) { lacksObjects = flag }
}

extension ListError {
    /// The error's text for a property: one line of at most ``longestProperty`` bytes, which fits into every message.
    var propertyText: String {
        let text = String(String.UnicodeScalarView(reason.unicodeScalars.prefix(Self.longestProperty)))
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in LogEntry.printable(text).unicodeScalars {
            length += String(scalar).utf8.count
            guard length <= Self.longestProperty else { break }
            result.append(scalar)
        }
        return String(result)
    }

    private static let longestProperty = 1024
}
