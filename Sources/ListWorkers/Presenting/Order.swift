// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI

/// An order of the daemon to a worker.
enum Order: Sendable {
    /// Load the plugin; answered with ``Report/loaded(_:)`` or ``Report/refused(_:)``.
    case load(PluginAssignment)
    /// Make a host for a list, without objects yet.
    case host(PresenterNumber, crumbSlot: Int?)
    /// Present a list; answered with ``PresenterReport/opened(_:)``. `missing` of its objects follow later.
    indirect case open(PresenterNumber, PresenterSetup, missing: Int = 0)
    /// Present an update; answered with ``PresenterReport/presented(_:)``. `missing` of its objects follow later.
    indirect case present(PresenterNumber, PresenterUpdate, missing: Int = 0)
    /// More objects of the list or update; answered like that order, or with ``PresenterReport/more``.
    case objects(PresenterNumber, [ListObject], missing: Int = 0)
    /// Execute another order for a list on behalf of a user, or of the daemon itself (nil).
    case perform(PresenterNumber, PresenterOrder, by: UInt32? = nil)
    /// Stop presenting a list.
    case close(PresenterNumber)
    /// Make a data source; answered with ``Report/sourceMade(_:_:)``.
    case makeSource(PresenterNumber, crumbSlot: Int?, name: String, argument: String)
    /// Start a data source that was made, from its cursor.
    case startSource(PresenterNumber, cursor: [UInt8]? = nil)
    /// Pass a client's write to a data source; answered with an event of the source.
    case writeSource(PresenterNumber, DataSourceWrite)
    /// Send the next event of a data source, as the last one is handled.
    case eventTaken(PresenterNumber)
    /// Stop a data source; answered with ``Report/sourceStopped(_:)``.
    case stopSource(PresenterNumber)
    /// Show that the process runs; answered with ``Report/alive``, whatever the plugin is doing.
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

extension Order: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .load(let assignment): writer.write(0 as UInt8, assignment)
        case .host(let number, let crumbSlot): writer.write(1 as UInt8, number, crumbSlot)
        case .open(let number, let setup, let missing): writer.write(2 as UInt8, number, setup, missing)
        case .present(let number, let update, let missing): writer.write(3 as UInt8, number, update, missing)
        case .objects(let number, let objects, let missing): writer.write(4 as UInt8, number, objects, missing)
        case .perform(let number, let order, let user): writer.write(5 as UInt8, number, order, user)
        case .close(let number): writer.write(6 as UInt8, number)
        case .makeSource(let number, let crumbSlot, let name, let argument):
            writer.write(7 as UInt8, number, crumbSlot, name, argument)
        case .startSource(let number, let cursor): writer.write(8 as UInt8, number, cursor)
        case .writeSource(let number, let write): writer.write(9 as UInt8, number, write)
        case .eventTaken(let number): writer.write(10 as UInt8, number)
        case .stopSource(let number): writer.write(11 as UInt8, number)
        case .ping: writer.write(12 as UInt8)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .load(try reader.read())
        case 1: self = .host(try reader.read(), crumbSlot: try reader.read())
        case 2: self = .open(try reader.read(), try reader.read(), missing: try reader.readIndex())
        case 3: self = .present(try reader.read(), try reader.read(), missing: try reader.readIndex())
        case 4: self = .objects(try reader.read(), try reader.read(), missing: try reader.readIndex())
        case 5: self = .perform(try reader.read(), try reader.read(), by: try reader.read())
        case 6: self = .close(try reader.read())
        case 7:
            self = .makeSource(
                try reader.read(), crumbSlot: try reader.read(), name: try reader.read(), argument: try reader.read())
        case 8: self = .startSource(try reader.read(), cursor: try reader.read())
        case 9: self = .writeSource(try reader.read(), try reader.read())
        case 10: self = .eventTaken(try reader.read())
        case 11: self = .stopSource(try reader.read())
        case 12: self = .ping
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
