// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import Testing

import enum DBus.BusAddress

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("The command line")
struct ArgumentsTests {
    private static let home = ["HOME": "/home/ada"]

    private func parse(
        _ words: [String], _ environment: [String: String] = home, executable: String = "/usr/bin/listd",
        isRoot: Bool = false
    ) throws(UsageError) -> Arguments {
        try Arguments.parse(words, environment: environment, executable: executable, isRoot: isRoot)
    }

    private func options(
        _ words: [String] = [], _ environment: [String: String] = home, executable: String = "/usr/bin/listd"
    ) throws -> DaemonOptions {
        guard case .run(let options) = try parse(words, environment, executable: executable) else {
            throw UsageError("the arguments do not run the daemon")
        }
        return options
    }

    @Test("a user runs listd without arguments → it uses the session bus, no direct socket and XDG directories")
    func defaultsOtherwise() throws {
        #expect(
            try options()
                == DaemonOptions(
                    bus: .session, direct: .none, configurationDirectory: "/home/ada/.config/listd",
                    stateDirectory: "/home/ada/.local/state/listd",
                    pluginDirectories: ["/usr/local/lib/listd/plugins", "/usr/lib/listd/plugins"], logLevel: .info))
    }

    @Test("root runs listd, with or without a home directory → the service's configuration directory is the default")
    func root() throws {
        for environment in [Self.home, ["XDG_CONFIG_HOME": "/c"], [:]] {
            #expect(
                try parse(["--check-config"], environment, isRoot: true)
                    == .checkConfiguration(directory: "/etc/listd", asService: true)
            )
        }
        #expect(
            try parse(["--check-config", "--config", "/c"], isRoot: true) == .checkConfiguration(directory: "/c"))
        guard case .run(let options) = try parse([], isRoot: true) else { throw UsageError("no daemon would run") }
        #expect(options.configurationDirectory == "/etc/listd")
    }

    @Test("XDG variables are absolute → they are used; they are relative → they are ignored")
    func xdg() throws {
        let absolute = ["HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"]
        #expect(try options([], absolute).configurationDirectory == "/c/listd")
        #expect(try options([], absolute).stateDirectory == "/s/listd")
        let relative = ["HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": ""]
        #expect(try options([], relative).configurationDirectory == "/h/.config/listd")
        #expect(try options([], relative).stateDirectory == "/h/.local/state/listd")
    }

    @Test(
        "systemd runs listd without arguments → it uses the system bus, the passed socket and systemd's directories",
        arguments: ["NOTIFY_SOCKET", "INVOCATION_ID"])
    func defaultsAsService(variable: String) throws {
        let environment = [
            variable: "x", "RUNTIME_DIRECTORY": "/run/a b:/run/other", "STATE_DIRECTORY": "/var/lib/x",
            "CONFIGURATION_DIRECTORY": "/etc/x:/etc/y",
        ]
        #expect(
            try options([], environment)
                == DaemonOptions(
                    bus: .system, direct: .passedSocket(otherwise: "unix:path=/run/a%20b/direct.sock"),
                    configurationDirectory: "/etc/x", stateDirectory: "/var/lib/x",
                    pluginDirectories: ["/usr/local/lib/listd/plugins", "/usr/lib/listd/plugins"], logLevel: .info))
        let bare = try options([], [variable: "x"])
        #expect(bare.configurationDirectory == "/etc/listd")
        #expect(bare.stateDirectory == "/var/lib/listd")
        #expect(bare.direct == .passedSocket(otherwise: "unix:path=/run/listd/direct.sock"))
    }

    @Test(
        "systemd runs a user's listd → the store is in the user's state directory, not beside the configuration")
    func userService() throws {
        let environment = ["INVOCATION_ID": "x", "HOME": "/h", "CONFIGURATION_DIRECTORY": "/h/.config/listd"]
        let own = try options(["--bus", "session"], environment)
        #expect(own.configurationDirectory == "/h/.config/listd" && own.stateDirectory == "/h/.local/state/listd")
        let moved = environment.merging(["XDG_STATE_HOME": "/s"]) { $1 }
        #expect(try options(["--bus", "session"], moved).stateDirectory == "/s/listd")
        let given = environment.merging(["STATE_DIRECTORY": "/s/x"]) { $1 }
        #expect(try options(["--bus", "session"], given).stateDirectory == "/s/x")
    }

    @Test("every option has its value after a space or an equals sign → it is set, whatever the environment contains")
    func allGiven() throws {
        let expected = DaemonOptions(
            bus: .address("unix:path=/b"), direct: .address("unix:path=/d=1"), configurationDirectory: "/c",
            stateDirectory: nil, pluginDirectories: ["/p", "/q"], logLevel: .debug)
        let words = [
            "--bus", "unix:path=/b", "--direct", "unix:path=/d=1", "--config", "/c", "--state", "none", "--plugins",
            "/p:/q", "--log-level", "debug",
        ]
        #expect(try options(words, [:]) == expected)
        let joined = stride(from: 0, to: words.count, by: 2).map { "\(words[$0])=\(words[$0 + 1])" }
        #expect(try options(joined, [:]) == expected)
    }

    @Test("an option is repeated → its last occurrence is used")
    func names() throws {
        #expect(try options(["--bus", "system"]).bus == .system)
        #expect(
            try options(["--bus", "system", "--bus", "session"], ["NOTIFY_SOCKET": "x", "HOME": "/"]).bus == .session)
        #expect(try options(["--direct", "none"], ["NOTIFY_SOCKET": "x"]).direct == .none)
        #expect(try options(["--state", "/s"]).stateDirectory == "/s")
    }

    @Test(
        "no plugin directory is given → the default is relative to the executable's directory",
        arguments: [
            ("/opt/listd/bin/listd", ["/opt/listd/lib/listd/plugins"]), ("/bin/listd", ["/lib/listd/plugins"]),
            ("/usr/libexec/listd/listd", ["/usr/local/lib/listd/plugins", "/usr/lib/listd/plugins"]),
            ("/usr/lib/listd/listd", ["/usr/local/lib/listd/plugins", "/usr/lib/listd/plugins"]),
            ("/usr/libexec/listd", ["/usr/local/lib/listd/plugins", "/usr/lib/listd/plugins"]),
            ("/usr/local/libexec/listd/listd", ["/usr/local/lib/listd/plugins"]), ("/listd", ["/plugins"]),
            ("/src/listd/.build/debug/listd", ["/src/listd/build/plugins"]),
        ])
    func plugins(executable: String, directories: [String]) throws {
        #expect(try options(executable: executable).pluginDirectories == directories)
    }

    @Test("the command line has another command than the daemon → the command and its arguments are recognised")
    func commands() throws {
        #expect(try parse(["--version"]) == .version)
        #expect(try parse(["--bus", "system", "--help", "--version"], [:]) == .help)
        #expect(try parse(["--worker", "fd:3"], [:]) == .worker(descriptor: 3))
        #expect(try parse(["--check-config"]) == .checkConfiguration(directory: "/home/ada/.config/listd"))
        #expect(try parse(["--check-config", "--config", "/c"], [:]) == .checkConfiguration(directory: "/c"))
    }

    @Test(
        "an argument is unknown → the usage error names the argument",
        arguments: [
            (["--frobnicate"], "unknown option --frobnicate"), (["-b"], "unknown option -b"),
            (["--"], "unknown option --"), (["mail"], "unexpected argument “mail”"), ([""], "unexpected argument “”"),
            (["--bus"], "--bus needs a value"), (["--config="], "--config needs a value"),
            (["--help=yes"], "--help takes no value"),
            (["--bus", "nowhere"], "--bus: “nowhere” is not a D-Bus address such as unix:path=/run/bus"),
            (["--direct", ":x"], "--direct: “:x” is not a D-Bus address such as unix:path=/run/bus"),
            (["--worker", "x"], "--worker: “x” is not a descriptor such as fd:3"),
            (["--worker", "fd:-1"], "--worker: “fd:-1” is not a descriptor such as fd:3"),
            (["--worker", "fd:9999999999"], "--worker: “fd:9999999999” is not a descriptor such as fd:3"),
            (["--log-level", "loud"], "--log-level: “loud” is not one of error, warning, notice, info, debug"),
            (["--worker", "a:", "--check-config"], "--worker and --check-config exclude each other"),
        ])
    func faults(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try parse(words) }
    }

    @Test("neither a home nor an XDG directory is set → the usage error names the missing option")
    func homeless() {
        #expect(
            throws: UsageError(
                "--config is required, because neither XDG_CONFIG_HOME nor HOME names a directory")
        ) { try parse([], [:]) }
        #expect(
            throws: UsageError("--state is required, because neither XDG_STATE_HOME nor HOME names a directory")
        ) { try parse(["--config", "/c"], ["HOME": "relative"]) }
    }

    @Test(
        "the parser knows an option → the usage text contains the option",
        arguments: [
            "bus", "direct", "config", "state", "plugins", "log-level", "worker", "check-config", "version", "help",
        ])
    func usage(option: String) {
        #expect(Arguments.usage.contains("--\(option)"))
    }

    @Test("exit codes → the documented numbers")
    func exitCodes() {
        let codes: [ExitCode] = [.done, .configuration, .usage, .noBus, .store]
        #expect(codes.map(\.rawValue) == [0, 1, 64, 69, 74])
    }
}
