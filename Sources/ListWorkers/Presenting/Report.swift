// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI

/// A report of a worker to the daemon.
enum Report: Sendable {
    /// The plugin is loaded.
    case loaded(PluginFacts)
    /// The plugin cannot be loaded, or refuses to start.
    case refused(ListError)
    /// The reports of the presenter of a list, in order, and the times of its section controllers' callbacks since the last
    /// ones, by plugin.
    case presented(PresenterNumber, [PresenterReport], times: [String: CallbackTimes.Times] = [:])
    /// A data source was made, or could not be made.
    case sourceMade(PresenterNumber, Result<DataSourceTraits, ListError>)
    /// An event of a data source; the next event waits for ``Order/eventTaken(_:)``.
    case sourceEvent(PresenterNumber, SourceEvent)
    /// A data source has stopped.
    case sourceStopped(PresenterNumber)
    /// A log message of the plugin.
    case log(PluginLogger.Level, String)
    /// The answer to ``Order/ping``.
    case alive
}

/// The properties of a plugin that a worker knows once it has loaded the plugin.
struct PluginFacts: Sendable, Equatable {
    /// The plugin's own version, for people.
    var version: String
    /// The version of the plugin API that the plugin was built for: major × 65536 + minor.
    var apiVersion: UInt32
    /// The names of its section controllers, without the prefix `PLUGIN/`.
    var sectionControllers: [String]
    /// The names of its data sources, without the prefix `PLUGIN/`.
    var dataSources: [String]
    /// The hints for fields, by the name of the data source and of the field.
    var hints: [String: [String: FieldHint]]
}

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

// MARK: - Encoding

extension Report: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .loaded(let facts): writer.write(0 as UInt8, facts)
        case .refused(let error): writer.write(1 as UInt8, error)
        case .presented(let number, let reports, let times): writer.write(2 as UInt8, number, reports, times)
        case .sourceMade(let number, let outcome): writer.write(3 as UInt8, number, outcome)
        case .sourceEvent(let number, let event): writer.write(4 as UInt8, number, event)
        case .sourceStopped(let number): writer.write(5 as UInt8, number)
        case .log(let level, let text): writer.write(6 as UInt8, UInt32(bitPattern: level.rawValue), text)
        case .alive: writer.write(7 as UInt8)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .loaded(try reader.read())
        case 1: self = .refused(try reader.read())
        case 2: self = .presented(try reader.read(), try reader.read(), times: try reader.read())
        case 3: self = .sourceMade(try reader.read(), try reader.read())
        case 4: self = .sourceEvent(try reader.read(), try reader.read())
        case 5: self = .sourceStopped(try reader.read())
        case 6:
            let level = PluginLogger.Level(rawValue: Int32(bitPattern: try reader.read()))
            self = .log(level ?? .info, try reader.read())
        case 7: self = .alive
        case let kind: throw WireError("a report has the unknown kind \(kind)")
        }
    }
}

extension PluginFacts: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(version, apiVersion, sectionControllers, dataSources, hints)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            version: try reader.read(), apiVersion: try reader.read(), sectionControllers: try reader.read(),
            dataSources: try reader.read(), hints: try reader.read())
    }
}

extension CallbackTimes.Times: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(calls, nanoseconds, longestNanoseconds) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        (calls, nanoseconds, longestNanoseconds) = (try reader.read(), try reader.read(), try reader.read())
    }
}

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
