// SPDX-License-Identifier: Apache-2.0

// The functions that create the members of an interface table.

extension Interface.Member {
    /// Declares a method whose handler reads the arguments and answers the call itself, now or later.
    ///
    /// Arguments that do not match `inputs` are refused before the handler is called. An error that the handler
    /// throws becomes the answer.
    public static func method(
        _ name: String, in inputs: Arguments = [:], out outputs: Arguments = [:], annotations: Annotations = [:],
        _ handler: @escaping @DBusActor (_ object: Object, _ call: Call) throws -> Void
    ) -> Self {
        .method(Method(name: name, inputs: inputs, outputs: outputs, annotations: annotations, handler: handler))
    }

    /// Declares a method that is implemented by a Swift function. The function's parameters are the arguments, whose
    /// names are `inputs`; its result is the answer.
    ///
    ///     .function("Add", in: ["amount"], out: "sum") { (counter, call, amount: UInt32) in counter.add(amount) }
    public static func function<each Input: DBusDecodable, Output: DBusEncodable>(
        _ name: String, in inputs: [String] = [], out output: String, annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Output
    ) -> Self {
        let outputs = Arguments(names: [output], types: [Output.signature])
        return function(name, in: inputs, out: outputs, annotations: annotations) {
            (object, call, arguments: repeat each Input) in
            call.reply(try body(object, call, repeat each arguments))
        }
    }

    /// Declares a method that is implemented by a Swift function without a result. An empty answer is sent when the
    /// function returns.
    public static func function<each Input: DBusDecodable>(
        _ name: String, in inputs: [String] = [], annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Void
    ) -> Self {
        function(name, in: inputs, out: [:], annotations: annotations) {
            (object, call, arguments: repeat each Input) in
            try body(object, call, repeat each arguments)
            call.reply()
        }
    }

    /// Declares a method with typed parameters that answers with `call.reply`, now or later.
    public static func function<each Input: DBusDecodable>(
        _ name: String, in inputs: [String] = [], out outputs: Arguments, annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Void
    ) -> Self {
        var types: [Signature] = []
        for type in repeat (each Input).self { types.append(type.signature) }
        return method(
            name, in: Arguments(names: inputs, types: types), out: outputs, annotations: annotations
        ) { object, call in
            let arguments = try call.message.read { (reader) throws(DBusError) in
                (repeat try (each Input)(from: &reader))
            }
            try body(object, call, repeat each arguments)
        }
    }

    /// Declares a read-only property.
    ///
    /// - Parameter size: returns the approximate length of the value in bytes; nil for a small value.
    public static func property<Value: DBusEncodable & Sendable>(
        _ name: String, as type: Value.Type, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        size: (@DBusActor (_ object: Object) -> Int)? = nil,
        get: @escaping @DBusActor (_ object: Object, _ peer: Peer?) throws -> Value
    ) -> Self {
        .property(
            Property(
                name: name, signature: Value.signature, changes: changes, annotations: annotations,
                isVisible: isVisible, size: size, get: getter(get), checkSetting: nil, set: nil))
    }

    /// Declares a writable property. The type of a new value is checked before `set` is called.
    ///
    /// - Parameter checkSetting: throws if the caller may not set the property. It is called before the new value is
    ///   looked at.
    public static func property<Value: DBusEncodable & Sendable, NewValue: DBusDecodable>(
        _ name: String, as type: Value.Type, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        get: @escaping @DBusActor (_ object: Object, _ peer: Peer?) throws -> Value,
        checkSetting: @escaping @DBusActor (_ object: Object, _ call: Call) throws -> Void = { _, _ in },
        set: @escaping @DBusActor (_ object: Object, _ value: NewValue, _ call: Call) throws -> Void
    ) -> Self {
        .property(
            Property(
                name: name, signature: Value.signature, changes: changes, annotations: annotations,
                isVisible: isVisible, size: nil, get: getter(get)
            ) { (object, call) throws(DBusError) in
                do { try checkSetting(object, call) } catch { throw DBusError(error) }
            } set: { (object, call, reader) throws(DBusError) in
                let value = try NewValue(from: &reader)
                do { try set(object, value, call) } catch { throw DBusError(error) }
            })
    }

    /// Declares a read-only property whose value is written with a writer; reading the value cannot fail.
    ///
    /// - Parameters:
    ///   - size: returns the approximate length of the value in bytes; nil for a small value.
    ///   - read: reads the value. The returned closure writes it.
    public static func property(
        _ name: String, _ signature: Signature, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        size: (@DBusActor (_ object: Object) -> Int)? = nil,
        read: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> PropertyWriter
    ) -> Self {
        .property(
            Property(
                name: name, signature: signature, changes: changes, annotations: annotations, isVisible: isVisible,
                size: size, get: { (object, peer) throws(DBusError) in read(object, peer) }, checkSetting: nil,
                set: nil))
    }

    private static func getter<Value: DBusEncodable & Sendable>(
        _ get: @escaping @DBusActor (Object, Peer?) throws -> Value
    ) -> @DBusActor (Object, Peer?) throws(DBusError) -> PropertyWriter {
        { (object, peer) throws(DBusError) in
            do {
                let value = try get(object, peer)
                return { writer in value.encode(to: &writer) }
            } catch {
                throw DBusError(error)
            }
        }
    }
}

extension Arguments {
    /// Creates arguments from two lists of equal length. Different lengths are a programming error and trap.
    init(names: [String], types: [Signature]) {
        // trap: interface tables are written in the program; no input creates one
        precondition(names.count == types.count, "there are \(names.count) names for \(types.count) arguments")
        self.init(zip(names, types).map { Argument(name: $0, signature: $1) })
    }
}
