// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

@Suite("Plain values and arrays as objects of a list")
struct ModelTests {
    private struct Person: ListModel, Equatable {
        let number: Int
        let name: String

        init(_ number: Int, _ name: String) { (self.number, self.name) = (number, name) }

        init(_ object: ListObject) throws(ListError) {
            guard let number = object.fields["number"]?.int, let name = object.fields["name"]?.string else {
                throw ListError(.invalidObject, "no person")
            }
            self.init(number, name)
        }

        static var listType: String { "person" }
        var listIdentifier: String { "person \(number)" }
        var listFields: Fields { ["number": .int64(Int64(number)), "name": .string(name)] }
    }

    private static func adapter(_ configure: (inout ListOptions) -> Void = { _ in }) -> ListAdapter {
        var configuration = ListOptions()
        configure(&configuration)
        return ListAdapter(
            configuration: configuration,
            controllers: BuiltInSectionControllerProvider(names: ["[person]": BuiltInSectionControllers.binding]))
    }

    private static func roundTrip<Model: ListModel>(_ model: Model) throws -> Model { try Model(model.listObject()) }

    @Test("values of several types are listed → each is an object with its type, its identifier and its value")
    func several() throws {
        let adapter = Self.adapter()
        try adapter.performUpdates(["Foo", 42, Person(7, "Ada"), 2.5, true, ["a", "b"]])
        adapter.flushNow()
        let objects = adapter.objects(from: 0, limit: .max)
        #expect(objects.map(\.type) == ["String", "Int", "person", "Double", "Bool", "[String]"])
        #expect(objects.map(\.id) == ["Foo", "42", "person 7", "2.5", "true", #"["a","b"]"#])
        #expect(objects[0].fields == ["value": "Foo"] && objects[1].fields == ["value": 42])
        #expect(objects[3].fields == ["value": 2.5] && objects[4].fields == ["value": true])
    }

    @Test("the list is updated → equal values stay, as in IGListKit: they move, and nothing is reloaded")
    func updates() throws {
        let adapter = Self.adapter()
        try adapter.performUpdates(["Foo", "Bar", 42, "Biz"])
        adapter.flushNow()
        var isApplied: Bool?
        try adapter.performUpdates([42, "Biz", "Foo", "Foo", "New"], completion: { isApplied = $0 })
        let transaction = try #require(adapter.flushNow().first?.transaction)
        #expect(isApplied == true && adapter.objects(from: 0, limit: .max).map(\.id) == ["42", "Biz", "Foo", "New"])
        #expect(transaction.sections.deletes.count == 1 && transaction.sections.inserts.count == 1)
        #expect(transaction.sections.reloads.isEmpty)
    }

    @Test("a list is emptied by an empty array → the array is one of objects, and the call needs no try")
    func emptied() throws {
        let adapter = Self.adapter()
        try adapter.performUpdates(["Foo"])
        adapter.flushNow()
        adapter.performUpdates([])
        adapter.flushNow()
        #expect(adapter.objectCount == 0)
    }

    @Test(
        "texts look like other values → their identifiers differ from those values', and from each other",
        arguments: [
            ("", #""""#), ("42", #""42""#), ("-1.5e3", #""-1.5e3""#), ("nan", #""nan""#), ("true", #""true""#),
            (#""42""#, #""\"42\"""#), (#"["a"]"#, #""[\"a\"]""#), ("42nd", "42nd"), ("a\"b", "a\"b"), ("ä", "ä"),
        ])
    func quoting(text: String, identifier: String) throws {
        #expect(text.listIdentifier == identifier)
        #expect(try Self.roundTrip(text) == text)
    }

    @Test("values of all kinds that print alike are listed together → none is dropped")
    func distinct() throws {
        let adapter = Self.adapter()
        var models: [any ListModel] = [1, true]
        models += [1.0, 0.0, -0.0, Double.infinity]
        models += ["1", "1.0", "true", "", "\"", "inf", #"["1"]"#] as [String]
        models += [["1"], ["a", "b"], ["a\",\"b"], ["a,b"], [""], []] as [[String]]
        models += [[1]] as [[Int]]
        models += [[["a"], ["b"]], [["a", "b"]]] as [[[String]]]
        try adapter.performUpdates(models)
        adapter.flushNow()
        #expect(adapter.objectCount == models.count)
    }

    @Test("values are read back → they are the same; other objects throw, and name the field")
    func decoding() throws {
        #expect(try Self.roundTrip(-3) == -3 && Self.roundTrip(Int.max) == .max && Self.roundTrip(true))
        #expect(try Self.roundTrip(0.1) == 0.1 && Self.roundTrip(Double.nan).isNaN)
        let people = [Person(1, "Ada"), Person(2, "Grace")]
        #expect(try Self.roundTrip(people) == people && Self.roundTrip([people, []]) == [people, []])
        #expect(try Self.roundTrip([[1.5], []]) == [[1.5], []])
        let items = Value.array(element: "a{sv}", [["name": "y"]])
        let wrong = try ListObject(id: "x", fields: ["value": ["a"], "items": items])
        for read in [
            { _ = try String($0) }, { _ = try Int($0) }, { _ = try Double($0) }, { _ = try Bool($0) },
            { _ = try [String]($0) },
        ] as [(ListObject) throws -> Void] {
            let error = #expect(throws: ListError.self) { try read(wrong) }
            #expect(error?.code == .invalidObject && error?.message.contains("“x”") == true)
        }
    }

    @Test("listd/binding shows an array of models → its elements are items, and a changed element rebinds its item")
    func items() throws {
        let adapter = Self.adapter()
        try adapter.performUpdates([[Person(1, "Ada"), Person(2, "Grace")]])
        adapter.flushNow()
        #expect(adapter.items(inSection: 0).map(\.identity) == ["person 1", "person 2"])
        #expect(adapter.items(inSection: 0).map { $0.content["name"] } == ["Ada", "Grace"])
        try adapter.performUpdates([[Person(1, "Ada"), Person(2, "Admiral Grace")]])
        let transaction = try #require(adapter.flushNow().first?.transaction)
        #expect(transaction.sections.isEmpty && transaction.items.reloads.map(\.item) == [1])
    }

    @Test("a value cannot be an object → the call throws, the list stays, and the completion is not called")
    func invalid() throws {
        struct Broken: ListModel {
            init() {}
            init(_ object: ListObject) throws(ListError) { self.init() }
            static var listType: String { "broken" }
            var listIdentifier: String { "broken" }
            var listFields: Fields { ["path": .objectPath("no path")] }
        }
        let adapter = Self.adapter()
        try adapter.performUpdates(["Foo"])
        adapter.flushNow()
        let wrong: [[any ListModel]] = [
            ["Bar", "with\0NUL"], [String(repeating: "x", count: 70_000)], [Broken()], [[Broken()]],
        ]
        for models in wrong {
            #expect(throws: ListError.self) {
                try adapter.performUpdates(models, completion: { _ in Issue.record("completed") })
            }
        }
        #expect(adapter.flushNow().isEmpty && adapter.objects(from: 0, limit: .max).map(\.id) == ["Foo"])
    }
}
