// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListWorkers

/// The section controllers of one list: those that show it, and those that waiting requests bring.
struct HostControllers {
    /// Those that show the list.
    private(set) var current: SectionControllerTable
    /// Those that show it as soon as the request that brought them is presented.
    private var awaited: [RequestID: SectionControllerTable] = [:]

    init(_ current: SectionControllerTable) { self.current = current }

    /// Records what a request brings.
    mutating func add(_ table: SectionControllerTable, of request: RequestID) { awaited[request] = table }

    /// What the first of some requests that bring any brings; nil when none does.
    func awaited(by requests: [RequestID]) -> SectionControllerTable? {
        requests.lazy.compactMap { awaited[$0] }.first
    }

    /// Others show the list from now on.
    mutating func use(_ table: SectionControllerTable) { current = table }

    /// A request is answered.
    mutating func remove(_ request: RequestID) { awaited[request] = nil }
}
