// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI

/// An order of the daemon to a worker.
enum WorkerOrder: Sendable {
    /// Load the plugin; answered with ``WorkerReport/loaded(_:)`` or ``WorkerReport/refused(_:)``.
    case load(PluginAssignment)
    /// Make a host for a list, without objects yet.
    case host(PresenterNumber, crumbSlot: Int?)
    /// Execute an order for a list on behalf of a user, or of the daemon itself (nil). `missing` objects of the order
    /// follow later.
    case present(PresenterNumber, PresenterOrder, missing: Int = 0, by: UInt32? = nil)
    /// Stop presenting a list.
    case close(PresenterNumber)
    /// Make a data source; answered with ``WorkerReport/sourceMade(_:_:)``.
    case makeSource(PresenterNumber, crumbSlot: Int?, name: String, argument: String)
    /// Start a data source that was made, from its cursor.
    case startSource(PresenterNumber, cursor: [UInt8]? = nil)
    /// Pass a client's write to a data source; answered with an event of the source.
    case writeSource(PresenterNumber, DataSourceWrite)
    /// Send the next event of a data source, as the last one is handled.
    case eventTaken(PresenterNumber)
    /// Stop a data source; answered with ``WorkerReport/sourceStopped(_:)``.
    case stopSource(PresenterNumber)
    /// Show that the process runs; answered with ``WorkerReport/alive``, whatever the plugin is doing.
    case ping
}

/// The plugin that a worker loads, and the limits of the worker.
struct PluginAssignment: Sendable {
    /// The path of the plugin's library.
    var path: String
    /// The plugin directories, one of which must contain the library.
    var directories: [String]
    /// The plugin's own keys of the configuration.
    var settings: [String: String]
    /// The maximum memory of the worker in bytes.
    var memoryMax: Int
    /// Whether the worker may use the network.
    var hasNetwork = false
}

extension WorkerOrder: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .load(let assignment): writer.write(0 as UInt8, assignment)
        case .host(let number, let crumbSlot): writer.write(1 as UInt8, number, crumbSlot)
        case .present(let number, let order, let missing, let user):
            writer.write(2 as UInt8, number, order, missing, user)
        case .close(let number): writer.write(3 as UInt8, number)
        case .makeSource(let number, let crumbSlot, let name, let argument):
            writer.write(4 as UInt8, number, crumbSlot, name, argument)
        case .startSource(let number, let cursor): writer.write(5 as UInt8, number, cursor)
        case .eventTaken(let number): writer.write(6 as UInt8, number)
        case .stopSource(let number): writer.write(7 as UInt8, number)
        case .ping: writer.write(8 as UInt8)
        case .writeSource(let number, let write): writer.write(9 as UInt8, number, write)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .load(try reader.read())
        case 1: self = .host(try reader.read(), crumbSlot: try reader.read())
        case 2:
            self = .present(
                try reader.read(), try reader.read(), missing: try reader.readIndex(), by: try reader.read())
        case 3: self = .close(try reader.read())
        case 4:
            self = .makeSource(
                try reader.read(), crumbSlot: try reader.read(), name: try reader.read(), argument: try reader.read())
        case 5: self = .startSource(try reader.read(), cursor: try reader.read())
        case 6: self = .eventTaken(try reader.read())
        case 7: self = .stopSource(try reader.read())
        case 8: self = .ping
        case 9: self = .writeSource(try reader.read(), try reader.read())
        case let kind: throw WireError("an order has the unknown kind \(kind)")
        }
    }
}

extension PluginAssignment: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(path, directories, settings, memoryMax, hasNetwork) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            path: try reader.read(), directories: try reader.read(), settings: try reader.read(),
            memoryMax: try reader.read(), hasNetwork: try reader.read())
    }
}

/// A report of a worker to the daemon.
enum WorkerReport: Sendable {
    /// The plugin is loaded.
    case loaded(PluginFacts)
    /// The plugin cannot be loaded, or refuses to start.
    case refused(ListError)
    /// The output of the presenter of a list.
    case presented(PresenterNumber, PresenterOutput)
    /// A data source was made, or could not be made.
    case sourceMade(PresenterNumber, Result<DataSourceTraits, ListError>)
    /// An event of a data source; the next event waits for ``WorkerOrder/eventTaken(_:)``.
    case sourceEvent(PresenterNumber, SourceEvent)
    /// A data source has stopped.
    case sourceStopped(PresenterNumber)
    /// A log message of the plugin.
    case log(PluginLogger.Level, String)
    /// The answer to ``WorkerOrder/ping``.
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

extension WorkerReport: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .loaded(let facts): writer.write(0 as UInt8, facts)
        case .refused(let error): writer.write(1 as UInt8, error)
        case .presented(let number, let output): writer.write(2 as UInt8, number, output)
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
        case 2: self = .presented(try reader.read(), try reader.read())
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
