// SPDX-License-Identifier: Apache-2.0

/// A parsed command line: a command, and the options that every command takes.
struct Request {
    /// The bus to search for listd.
    enum Bus: Equatable {
        /// The session bus if listd is there, else the system bus.
        case automatic
        case session
        case system
        case address(String)
    }

    let command: any Command
    private(set) var bus = Bus.automatic
    private(set) var json = false
    private(set) var color = TextStyle.Choice.automatic

    /// Parses the words after the program's name.
    init(parsing words: [String]) throws(UsageError) {
        let options = CommandSyntax.common + CommandTable.all.flatMap { $0.syntax.options }
        var words = try CommandLineWord.read(words, options: options)
        if words.contains(.option("version", value: nil)) {
            command = VersionCommand()
            return
        }
        let place = words.firstIndex { if case .operand = $0 { true } else { false } }
        guard let place, case .operand(let name) = words[place] else {
            guard words.contains(.option("help", value: nil)) else { throw UsageError(message: "no command") }
            command = HelpCommand(topic: nil)
            return
        }
        guard let type = CommandTable.command(named: name) else {
            throw UsageError(message: "unknown command \(name)")
        }
        if words.contains(.option("help", value: nil)) {
            command = HelpCommand(topic: type.syntax)
            return
        }
        words.remove(at: place)
        let invocation = try Invocation(words, of: type.syntax)
        do throws(UsageError) {
            command = try type.init(invocation)
            bus = try invocation.value(of: "bus").map(Self.bus) ?? .automatic
            json = invocation.has("json")
            color = try invocation.value(of: "color").map(TextStyle.Choice.init) ?? .automatic
        } catch {
            throw UsageError(message: error.message, command: error.command ?? name)
        }
    }

    private static func bus(_ text: String) throws(UsageError) -> Bus {
        switch text {
        case "system": return .system
        case "session": return .session
        case let address where address.contains(":"): return .address(address)
        default: throw UsageError(message: "--bus takes system, session or an address, not \(text)")
        }
    }
}
