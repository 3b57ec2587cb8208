// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient
import Testing

@testable import listctl

@Suite("Parsing listctl command lines")
struct RequestTests {
    private func invocation(_ words: [String], of command: Command) throws(UsageError) -> Invocation {
        let options = Command.common + Command.all.flatMap(\.options)
        return try Invocation(try CommandLineWord.read(words, options: options), of: command)
    }

    @Test(
        "a command line is correct → it is parsed into its command and options",
        arguments: [
            (["list"], "list"), (["--json", "show", "mail"], "show"), (["--bus", "system", "watch", "a"], "watch"),
            (["--bus=unix:path=/run/x", "view", "a", "--height", "9"], "view"), (["push", "a", "-"], "push"),
            (["create", "a", "layout=none"], "create"), (["remove", "--", "--odd"], "remove"), (["monitor"], "monitor"),
            (["monitor", "a"], "monitor"), (["--height", "9", "view", "a"], "view"), (["--help", "show"], "help"),
            (["show", "-h"], "help"), (["--help"], "help"), (["--version", "nonsense"], "version"),
            (["append", "a", "--id", "x", "n=1"], "append"), (["move", "a", "x", "--before", "y"], "move"),
        ] as [([String], String)])
    func understood(words: [String], command: String) throws {
        let request = try Request(parsing: words)
        #expect(request.command.name == command)
    }

    @Test("every command accepts an option → the option may have any position")
    func common() throws {
        let request = try Request(parsing: ["--bus=unix:path=/run/x", "list", "--json", "--color", "never"])
        #expect(request.bus == .address("unix:path=/run/x"))
        #expect(request.json)
        #expect(request.color == .never)
    }

    @Test("a command has operands and options → they are parsed by name and in order")
    func operands() throws {
        let patch = try invocation(["a", "x", "n=1", "--unset", "b", "m=2", "--unset=c"], of: .patch)
        #expect(patch.operand("NAME") == "a")
        #expect(patch.operand("ID") == "x")
        #expect(patch.operands("KEY=VALUE") == ["n=1", "m=2"])
        #expect(patch.values(of: "unset") == ["b", "c"])
        let removed = try invocation(["--", "--odd"], of: .remove)
        #expect(removed.operand("NAME") == "--odd")
    }

    @Test(
        "a command line is wrong → the error names the command whose help describes the correct use",
        arguments: [
            ([], "no command", nil), (["fly"], "unknown command fly", nil), (["--fly"], "unknown option --fly", nil),
            (["-x"], "unknown option -x", nil), (["show"], "show lacks NAME", "show"),
            (["list", "x"], "list takes no operand, not even x", "list"),
            (["show", "a", "b"], "show takes no further word: b", "show"),
            (["list", "--raw"], "list has no option --raw", "list"),
            (["show", "a", "--raw=1"], "--raw takes no value", "show"),
            (["push", "a"], "push lacks FILE", "push"), (["--bus"], "--bus needs a value", nil),
            (["--bus", "x", "list"], "--bus takes system, session or an address, not x", "list"),
            (["--color", "x", "list"], "--color takes auto, always or never, not x", "list"),
            (["create", "a", "foo"], "“foo” is not KEY=VALUE", "create"),
            (["create", "a", "layout=flow", "no=1"], "unknown option “no”", "create"),
            (["view", "a", "--height", "0"], "--height takes a number from 1 to 10000, not 0", "view"),
            (["patch", "a", "x"], "patch takes at least one KEY=VALUE or --unset KEY", "patch"),
            (
                ["patch", "a", "x", "n=null"], "“n=null”: a field cannot be null; leave it out, or use patch --unset n",
                "patch"
            ),
            (["move", "a", "x"], "move takes one of --first, --last, --before, --after", "move"),
            (
                ["move", "a", "x", "--first", "--after", "y"], "move takes one of --first, --last, --before, --after",
                "move"
            ),
            (["append", "a"], "append takes one FILE, or --id ID and KEY=VALUE words", "append"),
            (["append", "a", "f", "--type", "t"], "--type needs --id", "append"),
            (["delete", "a"], "delete lacks ID", "delete"), (["help", "fly"], "unknown command fly", "help"),
            (["completion", "sh"], "completion takes bash, zsh or fish, not sh", "completion"),
            (["invoke", "a", "x"], "invoke lacks ACTION", "invoke"),
            (["create", ""], "a list needs a name", "create"), (["rename", "a", ""], "a list needs a name", "rename"),
        ] as [([String], String, String?)])
    func refused(words: [String], message: String, command: String?) {
        #expect(throws: UsageError(message: message, command: command)) { try Request(parsing: words) }
    }

    @Test("an option that several commands share → takes a value in all of the commands, or in none")
    func optionsAgree() {
        let options = Command.common + Command.all.flatMap(\.options)
        for (name, same) in Dictionary(grouping: options, by: \.name) {
            #expect(Set(same.map { $0.value == nil }).count == 1, "\(name)")
        }
    }

    @Test("commands have names → each name is unique and has a one-sentence summary")
    func table() {
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for command in Command.all {
            #expect(command.summary.hasSuffix("."), "\(command.name)")
            #expect(command.operands.dropLast().allSatisfy { $0.arity == .one }, "\(command.name)")
            #expect(command.helpText.split(separator: "\n").allSatisfy { $0.count <= 80 || !$0.contains("  ") })
        }
    }

    @Test(
        "KEY=VALUE arguments → parsed as JSON if the value is valid JSON, otherwise as text",
        arguments: [
            ("n=5", DBusValue.int64(5)), ("n=-1.5", .double(-1.5)), ("n=true", .boolean(true)), ("n=5a", .string("5a")),
            ("n=\"5\"", .string("5")), ("n=", .string("")), ("n=a=b", .string("a=b")),
            ("n=[1,\"x\"]", .array(element: "v", [.variant(.int64(1)), .variant(.string("x"))])),
            ("n={oops", .string("{oops")), ("n=nan", .string("nan")), ("n=-inf", .string("-inf")),
            ("n=007", .string("007")), ("n=+49", .string("+49")), ("n=0x1p4", .string("0x1p4")),
            ("n=1.", .string("1.")),
            ("n=[01]", .string("[01]")), ("n=\"a\tb\"", .string("\"a\tb\"")),
        ] as [(String, DBusValue)])
    func fields(word: String, value: DBusValue) throws {
        #expect(try Content(words: [word])["n"] == value)
    }

    @Test(
        "a command line is unfinished → completions of its last word are offered",
        arguments: [
            (["push", "a", ""], Command.Completion.file), (["push", ""], .list),
            (["--bus", "system", "show", ""], .list),
            (["create", "a", "x=1", ""], .listOption), (["create", ""], .nothing), (["show", "a", ""], .nothing),
            (["unload", ""], .plugin), (["--color", ""], .words(["auto", "always", "never"])), (["fly", ""], .nothing),
            (["remove", "--", "-"], .list),
        ] as [([String], Command.Completion)])
    func completed(words: [String], completion: Command.Completion) {
        #expect(CompletedWords(words).completion == completion)
    }
}
