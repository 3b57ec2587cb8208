import DBus
import ListClient

/// Carries out one command and says how it ended.
@DBusActor
enum CommandRunner {
    static func run(_ arguments: Arguments) async -> ExitCode {
        switch arguments.command {
        case .help:
            Output.write(Arguments.usage)
            return .done
        case .version:
            Output.line("listctl \(Version.text)")
            return .done
        case .newPlugin(let name): return NewPlugin.make(name, json: arguments.json)
        default: break
        }
        do throws(DBusError) {
            let address = try await BusChoice.address(for: arguments.bus)
            return try await run(arguments, at: address)
        } catch {
            Output.complain(explanation(of: error))
            return exitCode(of: error)
        }
    }

    private static func run(_ arguments: Arguments, at address: BusAddress) async throws(DBusError) -> ExitCode {
        switch arguments.command {
        case .watch(let name):
            _ = try await Presence.find(name, at: address)
            return await Following(name, address, json: arguments.json).run()
        case .view(let name, let height):
            _ = try await Presence.find(name, at: address)
            guard Terminal.isInteractive, !arguments.json else {
                let first = FirstScreen(rows: height ?? 24, json: arguments.json)
                return await Following(name, address, json: arguments.json, firstScreen: first).run()
            }
            return await Viewer(name, address).run()
        case .monitor(let name):
            let path = try await Presence.find(name, at: address)
            return await Monitor(path, address, json: arguments.json).run()
        default: break
        }
        let daemon = ListDaemonClient(connection: try await BusChoice.connect(to: address))
        defer { daemon.connection.close() }
        let commands = OneShotCommands(daemon: daemon, json: arguments.json)
        switch arguments.command {
        case .list: try await commands.list()
        case .show(let name): try await commands.show(name)
        case .push(let name, let file): return try await commands.push(name, file: file)
        case .create(let name, let options): try await commands.create(name, options: options)
        case .remove(let name): try await daemon.removeAdapter(name)
        case .plugins: try await commands.plugins()
        case .statistics: try await commands.statistics()
        case .check: return try await commands.check()
        case .backup(let file): try await commands.backup(file)
        default: break
        }
        return .done
    }

    /// The error in words for a person: listd's own errors speak for themselves.
    static func explanation(of error: DBusError) -> String {
        switch error.standard {
        case .serviceUnknown, .nameHasNoOwner: "listd does not run on this bus (\(error.message))"
        case .noServer, .fileNotFound, .badAddress, .disconnected: "no connection to the bus: \(error.message)"
        default: error.message.isEmpty ? error.name : error.message
        }
    }

    private static func exitCode(of error: DBusError) -> ExitCode {
        switch error.standard {
        case .serviceUnknown, .nameHasNoOwner, .noServer, .fileNotFound, .badAddress, .disconnected, .noReply:
            .unavailable
        default: .failed
        }
    }
}
