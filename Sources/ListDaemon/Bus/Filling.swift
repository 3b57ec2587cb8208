// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSupport

/// How an adapter stands: the property `State`.
package enum AdapterState: String, Sendable {
    /// It is filled from its source or the store.
    case loading
    /// It serves.
    case ready
    /// Its plugin is started again; it keeps what it has.
    case paused
    /// It has no source; it keeps what it has, and `SourceError` says why.
    case failed
}

/// How a list is filled: how its source and its host are, and what of it is missing.
struct Filling: Equatable {
    private var sourceState: AdapterState
    /// Whether its host is being started again.
    private var isPaused = false
    /// Whether a plugin that it needs was not there when the list came back from the store.
    private(set) var isIncomplete = false
    /// Whether something that its source told was too large, so that the list lacks it.
    private(set) var lacksObjects = false
    /// Why it has failed; empty in every other state.
    private(set) var failure = ""
    /// The part of the source that cannot be read, while the list has the rest; empty = none.
    private(set) var fault = ""

    init(_ state: AdapterState) { sourceState = state }

    /// The property `State`.
    var state: AdapterState { isPaused ? .paused : sourceState }

    /// The property `SourceError`.
    var error: String { failure.isEmpty ? fault : failure }

    /// Enters a state that is no failure.
    mutating func enter(_ new: AdapterState) {
        sourceState = new
        failure = ""
    }

    /// The source cannot be read, or there is none.
    mutating func fail(_ reason: String) {
        sourceState = .failed
        failure = reason
    }

    /// Something of the source cannot be read; empty = all of it can.
    mutating func setFault(_ reason: String) { fault = reason }

    /// The host is gone, or there again.
    mutating func setPaused(_ flag: Bool) { isPaused = flag }

    /// A plugin that the list needs is missing, or there again.
    mutating func setIncomplete(_ flag: Bool) { isIncomplete = flag }

    /// The list lacks something that its source told, or no more.
    mutating func setLacksObjects(_ flag: Bool) { lacksObjects = flag }
}

extension ListError {
    /// What a property may say of the error: one line of ``longestProperty`` bytes at most, which no message can fail to carry.
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
