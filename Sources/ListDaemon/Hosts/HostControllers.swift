// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListWorkers

/// The section controllers of one list: the present ones, and those of requests that are not presented yet.
struct HostControllers {
    /// The section controllers that show the list at present.
    private(set) var current: SectionControllerTable
    /// The section controllers of requests, which show the list once their request is presented.
    private var pending: [RequestID: SectionControllerTable] = [:]

    init(_ current: SectionControllerTable) { self.current = current }

    /// Records the section controllers of a request.
    mutating func add(_ table: SectionControllerTable, of request: RequestID) { pending[request] = table }

    /// Returns the section controllers of the first of the requests that has any; nil if none has.
    func pending(for requests: [RequestID]) -> SectionControllerTable? {
        requests.lazy.compactMap { pending[$0] }.first
    }

    /// Replaces the present section controllers.
    mutating func setCurrent(_ table: SectionControllerTable) { current = table }

    /// Forgets the section controllers of a request that was answered.
    mutating func remove(_ request: RequestID) { pending[request] = nil }
}
