@_spi(Daemon) internal import ListKit
internal import PluginAPI

/// Names a list, or a data source, in a worker; never used again.
typealias SeatNumber = UInt32

/// What the daemon tells a worker.
enum WorkerOrder: Sendable {
    /// Load the plugin; answered with ``WorkerReport/loaded(_:)`` or ``WorkerReport/refused(_:)``.
    case load(PluginAssignment)
    /// Host a list.
    case open(SeatNumber, crumb: Int?, HostSetup)
    /// Do something with a list, on behalf of a user or by itself.
    case command(SeatNumber, AdapterCommand, by: UInt32? = nil)
    /// Host a list no longer.
    case close(SeatNumber)
    /// Make a data source; answered with ``WorkerReport/sourceMade(_:_:)``.
    case makeSource(SeatNumber, crumb: Int?, name: String, argument: String)
    /// Start a data source that was made, where it left off.
    case startSource(SeatNumber, cursor: [UInt8]? = nil)
    /// Have a data source write something; answered with an event of it.
    case writeSource(SeatNumber, DataSourceWrite)
    /// The event of a data source was taken: the next one may come.
    case eventTaken(SeatNumber)
    /// End a data source; answered with ``WorkerReport/sourceStopped(_:)``.
    case stopSource(SeatNumber)
    /// Say something; answered with ``WorkerReport/alive``, whatever the plugin is doing.
    case ping

    /// Whether it is for somebody with an executor of its own, and nothing of the plugin runs on the way there.
    var isPassedOn: Bool {
        switch self {
        case .command, .writeSource, .eventTaken, .ping: true
        case .load, .open, .close, .makeSource, .startSource, .stopSource: false
        }
    }
}

/// The plugin that a worker is for.
struct PluginAssignment: Sendable {
    /// The path of its library.
    var path: String
    /// Where libraries may be.
    var directories: [String]
    /// The plugin's own keys of the configuration.
    var settings: [String: String]
    /// How much memory, in bytes, the worker may have.
    var memoryMax: Int
}

/// A list as a host begins with it.
struct HostSetup: Sendable {
    /// The options that concern the engine.
    var configuration: ListAdapter.Configuration
    /// The section controllers by object type.
    var controllers: SectionControllerTable
    /// The objects in their order.
    var objects: [ListObject]
    /// The revision that these are.
    var revision: UInt64
    /// The views that look at the list.
    var views: [ViewResumption] = []
    /// The selected items.
    var selection: [SelectedItem] = []
    /// Whether flushes and pictures are held.
    var isHeld = false
}

extension WorkerOrder: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .load(let assignment): writer.write(0 as UInt8, assignment)
        case .open(let seat, let crumb, let setup): writer.write(1 as UInt8, seat, crumb, setup)
        case .command(let seat, let command, let user): writer.write(2 as UInt8, seat, command, user)
        case .close(let seat): writer.write(3 as UInt8, seat)
        case .makeSource(let seat, let crumb, let name, let argument):
            writer.write(4 as UInt8, seat, crumb, name, argument)
        case .startSource(let seat, let cursor): writer.write(5 as UInt8, seat, cursor)
        case .eventTaken(let seat): writer.write(6 as UInt8, seat)
        case .stopSource(let seat): writer.write(7 as UInt8, seat)
        case .ping: writer.write(8 as UInt8)
        case .writeSource(let seat, let write): writer.write(9 as UInt8, seat, write)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .load(try reader.read())
        case 1: self = .open(try reader.read(), crumb: try reader.read(), try reader.read())
        case 2: self = .command(try reader.read(), try reader.read(), by: try reader.read())
        case 3: self = .close(try reader.read())
        case 4:
            self = .makeSource(
                try reader.read(), crumb: try reader.read(), name: try reader.read(), argument: try reader.read())
        case 5: self = .startSource(try reader.read(), cursor: try reader.read())
        case 6: self = .eventTaken(try reader.read())
        case 7: self = .stopSource(try reader.read())
        case 8: self = .ping
        case 9: self = .writeSource(try reader.read(), try reader.read())
        default: throw WireError("an order")
        }
    }
}

extension PluginAssignment: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(path, directories, settings, memoryMax) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            path: try reader.read(), directories: try reader.read(), settings: try reader.read(),
            memoryMax: try reader.read())
    }
}

extension HostSetup: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(configuration, controllers, objects, revision, views, selection, isHeld)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            configuration: try reader.read(), controllers: try reader.read(), objects: try reader.read(),
            revision: try reader.read(), views: try reader.read(), selection: try reader.read(),
            isHeld: try reader.read())
    }
}
