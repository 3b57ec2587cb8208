// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// What a presenter reports to its list.
package enum PresenterReport: Sendable {
    /// The list is presented; the transaction is nil.
    case opened(PresenterNews)
    /// An update is presented.
    case presented(PresenterNews)
    /// Changes that no order asked for; with `answering`, the move of an item that this request asked for.
    case changed(PresenterNews, answering: RequestID? = nil)
    /// The one answer to a view's call or a query, and what happened first.
    case answer(RequestID, Result<AdapterAnswer, ListError>, PresenterNews)
    /// What the section controllers say of an item that was dragged.
    case moveVerdict(RequestID, ItemMoveVerdict)
    /// The next objects may come.
    case more

    /// The outcome, if it has one.
    package var news: PresenterNews? {
        switch self {
        case .opened(let news), .presented(let news), .changed(let news, _), .answer(_, _, let news): news
        case .moveVerdict, .more: nil
        }
    }

    /// Whether no order asked for it.
    package var isUnasked: Bool { if case .changed(_, nil) = self { true } else { false } }

    /// Whether items changed without anybody's asking.
    package var isUnaskedChange: Bool { isUnasked && news?.presented.transaction != nil }
}

/// What has happened to a list's items and views, and how they stand now.
package struct PresenterNews: Sendable {
    /// The transaction, events in their order, and how many items there are; without revisions.
    package var presented: Presented
    /// How views stand of which something is new.
    package var views: [ViewState] = []
    /// The selected items, if they are others.
    package var selection: [SelectedItem]?
    /// What built-in section controllers do not show.
    package var losses: [ContentLoss] = []
    /// Why views among the events are closed; the list alone knows.
    package var closings: [ViewID: ViewClosing] = [:]

    /// How a view stands.
    package struct ViewState: Sendable {
        package var view: ViewID
        package var description: ViewDescription
    }
}

/// What a presenter reports in one go.
package struct PresenterOutput: Sendable {
    /// The reports, in order.
    package var reports: [PresenterReport]
    /// How long section controllers took since the last one, by plugin.
    package var times: [String: CallbackTimes.Times] = [:]
}

extension PresenterNews {
    /// The same without a transaction: an answer has none.
    package var withoutTransaction: PresenterNews {
        var news = self
        news.presented.transaction = nil
        return news
    }
}

// MARK: - As bytes

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
        switch try reader.byte() {
        case 0: self = .opened(try reader.read())
        case 1: self = .presented(try reader.read())
        case 2: self = .changed(try reader.read(), answering: try reader.read())
        case 3: self = .answer(try reader.read(), try reader.read(), try reader.read())
        case 4: self = .moveVerdict(try reader.read(), try reader.read())
        case 5: self = .more
        default: throw WireError("a report about a list")
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
