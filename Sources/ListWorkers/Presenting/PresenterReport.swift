// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// A report of a presenter to its list.
package enum PresenterReport: Sendable {
    /// The list is presented for the first time by this presenter; the transaction is nil.
    case opened(PresenterNews)
    /// An update is presented.
    case presented(PresenterNews)
    /// Changes that no order asked for; or, with `answering`, the move of an item that this request asked for.
    case changed(PresenterNews, answering: RequestID? = nil)
    /// The one answer to a view's call or a query, with the changes that clients get before the answer.
    case answer(RequestID, Result<AdapterAnswer, ListError>, PresenterNews)
    /// The decision of the section controllers about a dragged item.
    case moveVerdict(RequestID, ItemMoveVerdict)
    /// A request for the next page of an order's objects.
    case more

    /// The news in the report, if it has any.
    package var news: PresenterNews? {
        switch self {
        case .opened(let news), .presented(let news), .changed(let news, _), .answer(_, _, let news): news
        case .moveVerdict, .more: nil
        }
    }

    /// Whether no order asked for the report.
    package var isUnrequested: Bool { if case .changed(_, nil) = self { true } else { false } }

    /// Whether the report has changes of items that no order asked for.
    package var isUnrequestedChange: Bool { isUnrequested && news?.presented.transaction != nil }
}

/// The changes of a list's items and views since the last report, and the resulting state.
package struct PresenterNews: Sendable {
    /// The transaction, the events in their order, and the number of items. Revisions in it are not set.
    package var presented: Presented
    /// The states of the views that have changed.
    package var views: [ViewState] = []
    /// The selected items, if the selection has changed.
    package var selection: [SelectedItem]?
    /// The contents that built-in section controllers dropped or replaced since the last report.
    package var losses: [ContentLoss] = []
    /// The reasons of the closings of views that are among the events. The list adds the reasons; they are not encoded.
    package var closings: [ViewID: ViewClosing] = [:]

    /// A view and its state.
    package struct ViewState: Sendable {
        package var view: ViewID
        package var description: ViewDescription
    }
}

/// The reports that a presenter sends together.
package struct PresenterOutput: Sendable {
    /// The reports, in order.
    package var reports: [PresenterReport]
    /// The times of section controllers' callbacks since the last output, by plugin.
    package var times: [String: CallbackTimes.Times] = [:]
}

extension PresenterNews {
    /// The same news without the transaction, as an answer has none.
    package var withoutTransaction: PresenterNews {
        var news = self
        news.presented.transaction = nil
        return news
    }
}

// MARK: - Encoding

extension PresenterReport: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .opened(let news): writer.write(0 as UInt8, news)
        case .presented(let news): writer.write(1 as UInt8, news)
        case .changed(let news, let id): writer.write(2 as UInt8, news, id)
        case .answer(let id, let outcome, let news): writer.write(3 as UInt8, id, outcome, news)
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

extension PresenterNews: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(presented, views, selection, losses) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            presented: try reader.read(), views: try reader.read(), selection: try reader.read(),
            losses: try reader.read())
    }
}

extension PresenterNews.ViewState: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(view, description) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(view: try reader.read(), description: try reader.read())
    }
}

extension PresenterOutput: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(reports, times) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(reports: try reader.read(), times: try reader.read())
    }
}
