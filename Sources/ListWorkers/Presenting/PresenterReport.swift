// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// A report of a presenter to its list.
package enum PresenterReport: Sendable {
    /// The list is presented for the first time by this presenter; the transaction is nil.
    case opened(Announcement)
    /// An update is presented.
    case presented(Announcement)
    /// Changes that no order asked for; or, with `answering`, the move of an item that this request asked for.
    case changed(Announcement, answering: RequestID? = nil)
    /// The one answer to a view's call or a query, with the changes that clients get before the answer.
    case answer(RequestID, Result<PresenterAnswer, ListError>, Announcement)
    /// The decision of the section controllers about a dragged item.
    case moveVerdict(RequestID, ItemMoveVerdict)
    /// A request for the next page of an order's objects.
    case more

    /// The announcement in the report, if it has one.
    package var announcement: Announcement? {
        switch self {
        case .opened(let said), .presented(let said), .changed(let said, _), .answer(_, _, let said): said
        case .moveVerdict, .more: nil
        }
    }

    /// Whether no order asked for the report.
    package var isUnrequested: Bool { if case .changed(_, nil) = self { true } else { false } }

    /// Whether the report has changes of items that no order asked for.
    package var isUnrequestedChange: Bool { isUnrequested && announcement?.transaction != nil }
}

/// The reports that a presenter sends together.
package struct PresenterOutput: Sendable {
    /// The reports, in order.
    package var reports: [PresenterReport]
    /// The times of section controllers' callbacks since the last output, by plugin.
    package var times: [String: CallbackTimes.Times] = [:]
}

// MARK: - Encoding

extension PresenterReport: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .opened(let said): writer.write(0 as UInt8, said)
        case .presented(let said): writer.write(1 as UInt8, said)
        case .changed(let said, let id): writer.write(2 as UInt8, said, id)
        case .answer(let id, let outcome, let said): writer.write(3 as UInt8, id, outcome, said)
        case .moveVerdict(let id, let verdict): writer.write(4 as UInt8, id, verdict)
        case .more: writer.write(5 as UInt8)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .opened(try reader.read())
        case 1: self = .presented(try reader.read())
        case 2: self = .changed(try reader.read(), answering: try reader.read())
        case 3: self = .answer(try reader.read(), try reader.read(), try reader.read())
        case 4: self = .moveVerdict(try reader.read(), try reader.read())
        case 5: self = .more
        case let kind: throw WireError("a report about a list has the unknown kind \(kind)")
        }
    }
}

extension PresenterOutput: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(reports, times) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(reports: try reader.read(), times: try reader.read())
    }
}
