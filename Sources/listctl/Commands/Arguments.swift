import DBus
import ListClient

/// What the command line asks for.
struct Arguments: Equatable {
    /// Where listd is looked for.
    enum Bus: Equatable {
        /// The session bus when listd is there, else the system bus.
        case automatic
        case session
        case system
        case address(String)
    }

    /// One command with its operands.
    enum Command: Equatable {
        case list
        case show(String)
        case watch(String)
        case view(String, height: Int?)
        case push(String, file: String)
        case create(String, options: [String])
        case remove(String)
        case plugins
        case statistics
        case monitor(String?)
        case newPlugin(String)
        case check
        case backup(String)
        case help
        case version
    }

    var bus = Bus.automatic
    var json = false
    var command: Command

    /// The text of `--help`.
    static let usage = """
        usage: listctl [--bus system|session|ADDRESS] [--json] COMMAND

          list                       the lists there are
          show NAME                  the objects of a list
          watch NAME                 the changes of a list as they come
          view NAME [--height N]     a living view: full screen on a terminal, lines otherwise
          push NAME FILE.jsonl       makes the file the new content (- = standard input)
          create NAME [KEY=VALUE…]   makes a list; KEY is an adapter option
          remove NAME                removes a list
          plugins                    the plugins and how they are
          statistics                 the daemon's counters
          monitor [NAME]             all signals of one list or of all
          new-plugin NAME            makes the package of a new plugin in ./NAME
          check                      checks the daemon's store
          backup FILE                writes a backup of the store

        """
}

/// A command line that cannot be understood; the message says why.
struct UsageError: Error, Equatable {
    let message: String
}

extension Arguments {
    /// Reads the words behind the program's name.
    init(parsing words: [String]) throws(UsageError) {
        var operands: [String] = []
        var height: Int?
        var (bus, json) = (Bus.automatic, false)
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": json = true
            case "--bus": bus = try Self.bus(try Self.value(of: word, &rest))
            case "--height": height = try Self.height(try Self.value(of: word, &rest))
            case "--help", "-h":
                self.init(command: .help)
                return
            case "--version":
                self.init(command: .version)
                return
            case "--":
                operands += rest
                rest = []
            case let word where word.hasPrefix("--bus="): bus = try Self.bus(String(word.dropFirst(6)))
            case let word where word.hasPrefix("--height="): height = try Self.height(String(word.dropFirst(9)))
            case let word where word.hasPrefix("-") && word.count > 1:
                throw UsageError(message: "unknown option \(word)")
            default: operands.append(word)
            }
        }
        self.init(bus: bus, json: json, command: try Self.command(operands, height: height))
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw UsageError(message: "\(option) needs a value") }
        return value
    }

    private static func bus(_ text: String) throws(UsageError) -> Bus {
        switch text {
        case "system": return .system
        case "session": return .session
        case let address where address.contains(":"): return .address(address)
        default: throw UsageError(message: "--bus takes system, session or an address, not \(text)")
        }
    }

    private static func height(_ text: String) throws(UsageError) -> Int {
        guard let height = Int(text), (1...10_000).contains(height) else {
            throw UsageError(message: "--height takes a number of lines from 1 to 10000, not \(text)")
        }
        return height
    }

    /// Options whose values are yet to be looked at; those are no matter of spelling.
    private static func options(_ words: [String]) throws(UsageError) -> [String] {
        do throws(DBusError) {
            try AdapterOptionText.checkKeys(of: words)
            return words
        } catch {
            throw UsageError(message: error.message)
        }
    }

    private static func command(_ operands: [String], height: Int?) throws(UsageError) -> Command {
        guard let name = operands.first else { throw UsageError(message: "no command") }
        let rest = Array(operands.dropFirst())
        func one(_ what: String) throws(UsageError) -> String {
            guard rest.count == 1, let only = rest.first else { throw UsageError(message: "\(name) takes \(what)") }
            return only
        }
        func none(_ command: Command) throws(UsageError) -> Command {
            guard rest.isEmpty else { throw UsageError(message: "\(name) takes no operand") }
            return command
        }
        switch name {
        case "list": return try none(.list)
        case "show": return .show(try one("the name of a list"))
        case "watch": return .watch(try one("the name of a list"))
        case "view": return .view(try one("the name of a list"), height: height)
        case "push":
            guard rest.count == 2 else { throw UsageError(message: "push takes the name of a list and a file") }
            return .push(rest[0], file: rest[1])
        case "create":
            guard let list = rest.first else { throw UsageError(message: "create takes the name of a list") }
            return .create(list, options: try Self.options(Array(rest.dropFirst())))
        case "remove": return .remove(try one("the name of a list"))
        case "plugins": return try none(.plugins)
        case "statistics": return try none(.statistics)
        case "monitor":
            guard rest.count <= 1 else { throw UsageError(message: "monitor takes at most one name") }
            return .monitor(rest.first)
        case "new-plugin": return .newPlugin(try one("the name of the plugin"))
        case "check": return try none(.check)
        case "backup": return .backup(try one("a file"))
        default: throw UsageError(message: "unknown command \(name)")
        }
    }
}
