import Testing

@testable import listctl

@Suite("listctl arguments")
struct ArgumentsTests {
    @Test(
        "a correct line → its command",
        arguments: [
            (["list"], Arguments(command: .list)),
            (["--json", "show", "mail"], Arguments(json: true, command: .show("mail"))),
            (["--bus", "system", "watch", "a"], Arguments(bus: .system, command: .watch("a"))),
            (
                ["--bus=unix:path=/run/x", "view", "a", "--height", "9"],
                Arguments(bus: .address("unix:path=/run/x"), command: .view("a", height: 9))
            ),
            (["push", "a", "-"], Arguments(command: .push("a", file: "-"))),
            (["create", "a", "layout=none"], Arguments(command: .create("a", options: ["layout=none"]))),
            (["remove", "--", "--odd"], Arguments(command: .remove("--odd"))),
            (["monitor"], Arguments(command: .monitor(nil))),
            (["monitor", "a"], Arguments(command: .monitor("a"))),
            (["backup", "f"], Arguments(command: .backup("f"))),
            (["--help", "nonsense"], Arguments(command: .help)),
        ] as [([String], Arguments)])
    func understood(words: [String], expected: Arguments) throws {
        #expect(try Arguments(parsing: words) == expected)
    }

    @Test(
        "a wrong line → an error that says what is wrong",
        arguments: [
            ([], "no command"), (["fly"], "unknown command fly"), (["--fly"], "unknown option --fly"),
            (["show"], "show takes the name of a list"), (["list", "x"], "list takes no operand"),
            (["push", "a"], "push takes the name of a list and a file"), (["--bus"], "--bus needs a value"),
            (["--bus", "x", "list"], "--bus takes system, session or an address, not x"),
            (["create", "a", "foo"], "“foo” is not KEY=VALUE"),
            (["create", "a", "layout=flow", "no=1"], "unknown option “no”"),
            (["view", "a", "--height", "0"], "--height takes a number of lines from 1 to 10000, not 0"),
        ] as [([String], String)])
    func refused(words: [String], message: String) {
        #expect(throws: UsageError(message: message)) { try Arguments(parsing: words) }
    }
}
