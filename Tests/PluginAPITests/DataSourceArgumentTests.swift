// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@Suite("Arguments of data sources")
struct DataSourceArgumentTests {
    private func argument(_ text: String) throws(ListError) -> DataSourceArgument {
        try DataSourceArgument(
            text, isOption: { ["recursive", "depth", "unit"].contains($0) }, isRepeatable: { $0 == "unit" })
    }

    @Test(
        "an argument has a subject and options → it is split into these",
        arguments: [
            ("", "", [:]),
            ("/srv/music", "/srv/music", [:]),
            ("/srv/music&recursive", "/srv/music", ["recursive": "yes"]),
            ("/srv/music&recursive=no&depth=3", "/srv/music", ["recursive": "no", "depth": "3"]),
            ("depth=3", "", ["depth": "3"]),
            ("recursive&depth=", "", ["recursive": "yes", "depth": ""]),
            ("a=b", "a=b", [:]),
            ("/a%26b%25&unit=x%3d=y", "/a&b%", ["unit": "x==y"]),
            ("/gr%C3%BCn", "/grün", [:]),
        ] as [(String, String, [String: String])])
    func parts(text: String, subject: String, options: [String: String]) throws {
        let argument = try argument(text)
        #expect(argument.subject == subject)
        #expect(argument.options.values == options)
    }

    @Test("a repeatable option is given twice → its value is the last one, and all values are available in order")
    func repeated() throws {
        let argument = try argument("unit=ssh&depth=1&unit=cron")
        #expect(argument.options["unit"] == "cron")
        #expect(argument.values(of: "unit") == ["ssh", "cron"])
        #expect(argument.values(of: "recursive").isEmpty)
        #expect(try argument.options.integer("depth") == 1)
    }

    @Test(
        "a part of an argument is malformed → invalidArguments names the part",
        arguments: [
            ("/a&color=red", "“color”"), ("/a&", "“”"), ("/100%", "“/100%”"), ("/%4", "%25"), ("/%zz", "%25"),
            ("/%ff", "not UTF-8"), ("depth=%", "“%”"), ("/a&depth=1&unit=a&depth=1", "“depth” is given twice"),
            ("recursive&recursive", "“recursive” is given twice"),
        ])
    func wrong(text: String, named: String) {
        let error = #expect(throws: ListError.self) { try argument(text) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains(named) == true)
    }

    @Test("an option that is not repeatable is given twice → reading it throws an error")
    func noneRepeatable() throws {
        let error = #expect(throws: ListError.self) { try DataSourceArgument("unit=a&unit=b") { $0 == "unit" } }
        #expect(error?.message == "“unit=b”: the option “unit” is given twice")
    }
}
