// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

// Commands that take microseconds are handled by the bus thread itself, after it has read everything that has
// arrived. So requests that arrive together are flushed together, and neither side waits for a thread switch.

extension AdapterCommand {
    /// Whether a small list handles the command in microseconds.
    var isLight: Bool {
        switch self {
        case .update(let request): request.isLight
        case .query(_, .objects(_, _, let byteLimit)): byteLimit <= AdapterQuery.lightBytes
        case .query(_, .changes(_, let byteLimit)): byteLimit <= AdapterQuery.lightBytes
        case .query(_, .items(_, let count, _, _)): count <= UpdateRequest.lightCount
        case .query(_, .itemCounts(_, let limit)): limit <= UpdateRequest.lightCount
        case .query(_, .find), .openView, .closeView: true
        case .view(_, _, .reportSizes(let sizes)): sizes.count <= UpdateRequest.lightCount
        case .view(_, _, .changeSelection(let select, let deselect)):
            select.count + deselect.count <= UpdateRequest.lightCount
        case .view: true
        case .query(_, .description), .configure, .hold, .keep, .stored, .stop: false
        }
    }

    /// Whether the command reads or changes the list's contents, so that a resting list has to be presented again.
    var endsRest: Bool {
        switch self {
        case .update, .configure, .openView, .view, .query(_, .objects), .query(_, .find), .query(_, .items),
            .query(_, .itemCounts):
            true
        case .closeView, .hold, .keep, .stored, .stop, .query(_, .changes), .query(_, .description): false
        }
    }
}

extension AdapterQuery {
    /// The approximate maximum bytes of contents that the bus thread collects itself; it has to write them in any
    /// case.
    fileprivate static let lightBytes = 1 << 20
}

extension Change {
    /// Whether a list applies the change in microseconds.
    var isLight: Bool { (whole?.count ?? count) <= UpdateRequest.lightCount }
}

extension UpdateRequest {
    /// The maximum number of changes in a light request.
    fileprivate static let lightCount = 64

    /// Whether flushing the request takes microseconds.
    var isLight: Bool {
        switch operation {
        case .applyChanges(let removed, let upserts): removed.count + upserts.count <= Self.lightCount
        case .moveObject, .patchObject, .moveItem, .invalid: true
        case .reloadObjects(let ids): ids.count <= Self.lightCount
        case .performUpdates, .reloadData, .configure: false
        }
    }
}
