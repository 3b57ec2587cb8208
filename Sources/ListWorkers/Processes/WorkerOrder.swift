// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import PluginAPI

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

    /// Whether the order is only forwarded to the executor of a list or data source, which runs no code of the plugin.
    var isForwarded: Bool {
        switch self {
        case .present, .writeSource, .eventTaken, .ping: true
        case .load, .host, .close, .makeSource, .startSource, .stopSource: false
        }
    }
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
        case let kind: throw WireError("a command to a worker has the unknown kind \(kind)")
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
