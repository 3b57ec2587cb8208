// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport
import Testing

@Suite("Match rules")
@DBusActor
struct MatchRuleTests {
    @Test(
        "a match rule is parsed → its text has the canonical form",
        arguments: [
            ("type='signal',interface='a.b',member='C'", "type='signal',interface='a.b',member='C'"),
            ("member=C, type=signal", "type='signal',member='C'"),
            ("arg0='it'\\''s',path=/a", "path='/a',arg0='it'\\''s'"),
            ("arg1path='/a,b/',arg0namespace='com.x'", "arg1path='/a,b/',arg0namespace='com.x'"),
            ("path_namespace='/',eavesdrop='true',sender=':1.5'", "sender=':1.5',path_namespace='/'"),
            ("arg63='',arg0=''", "arg0='',arg63=''"), ("", ""), ("destination=':1.1'", "destination=':1.1'"),
        ])
    func parsing(text: String, canonical: String) throws {
        let rule = try MatchRule(parsing: text)
        #expect(rule.text == canonical)
        #expect(try MatchRule(parsing: rule.text) == rule)
    }

    @Test(
        "a match rule is malformed → parsing throws MatchRuleInvalid",
        arguments: [
            "type=noise", "member='a b'", "nonsense", "colour='red'", "arg64=''", "arg=''", "argx=''", "arg-1=''",
            "path='a'", "path='/a',path_namespace='/b'", "interface='a'", "sender='x'", "member='x",
            "type=signal,type=signal",
            "arg1namespace='a'", "eavesdrop='maybe'", "arg0=a,arg0path=a", "arg0=a,arg0namespace=a", "arg0path",
            "member=" + String(repeating: "a", count: 1100),
        ])
    func wrong(text: String) {
        let error = #expect(throws: DBusError.self) { try MatchRule(parsing: text) }
        #expect(error?.standard == .matchRuleInvalid)
    }

    @Test("random signals and rules → the service's matching selects the same signals as dbus-daemon")
    func asDaemon() async throws {
        let bus = try PrivateBus()
        let (sender, listener) = (
            try await Connection.open(.address(bus.address)), try await Connection.open(.address(bus.address))
        )
        var random = SeededRandom(seed: 31)
        let paths = ["/", "/a", "/a/b", "/ab", "/a/b/c"]
        let texts = ["", "a", "a.b", "a.bc", "/a/", "/a/b", "/", "/a/b/", "it's, so"]
        for _ in 0..<60 {
            var rule = MatchRule(sender: sender.uniqueName)
            if random.chance(oneIn: 2) { rule.member = random.pick(["A", "B"]) }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: rule.path = try ObjectPath(random.pick(paths) ?? "/")
            case 1: rule.pathNamespace = try ObjectPath(random.pick(paths) ?? "/")
            default: break
            }
            if random.chance(oneIn: 3) { rule.arguments[Int.random(in: 0...1, using: &random)] = random.pick(texts) }
            if random.chance(oneIn: 3) {
                rule.argumentPaths[Int.random(in: 0...1, using: &random)] = random.pick(texts)
            }
            if random.chance(oneIn: 4) { rule.argument0Namespace = random.pick(["a", "a.b"]) }

            guard (try? rule.validate()) != nil else { continue }

            // `ours` gets the signals that our own matching selects, `daemons` those that dbus-daemon selects.
            let daemons = EventLog<UInt32>()
            let ours = EventLog<UInt32>()
            let all = EventLog<UInt32>()
            let everything = try await listener.subscribe(MatchRule(sender: sender.uniqueName)) {
                all.record($0.serial)
            }
            let first = try await listener.subscribe(rule, onBus: false) { ours.record($0.serial) }
            let other = try await Connection.open(.address(bus.address))
            // On this connection, dbus-daemon applies the rule, and our own matching compares only the sender.
            _ = try await other.bus.call("AddMatch", rule.text)
            _ = try await other.subscribe(MatchRule(sender: sender.uniqueName), onBus: false) {
                daemons.record($0.serial)
            }
            for _ in 0..<20 {
                var message = try Message.signal(
                    path: try ObjectPath(random.pick(paths) ?? "/"), interface: "org.example.T",
                    member: random.pick(["A", "B"]) ?? "A")
                let values = (0..<Int.random(in: 0...2, using: &random)).map { _ -> DBusValue in
                    let text = random.pick(texts) ?? ""
                    if random.chance(oneIn: 4) { return .uint32(1) }
                    return random.chance(oneIn: 3) && ObjectPath.isValid(text)
                        ? .objectPath((try? ObjectPath(text)) ?? .root) : .string(text)
                }
                try message.write(values: values)
                try sender.send(message)
            }
            for _ in 0..<20 { _ = try await all.next() }
            _ = try await other.bus.call("GetId", returning: String.self)  // all signals were queued before this reply
            #expect(ours.recorded == daemons.recorded, "\(rule.text)")
            first.cancel()
            everything.cancel()
            other.close()
        }
    }

    @Test(
        "several subscriptions share a match rule → the bus has the rule once, until the last subscription ends"
    )
    func shared() async throws {
        let bus = try PrivateBus(.tiny)
        let connection = try await Connection.open(.address(bus.address))
        let rule = MatchRule(interface: "org.example.T")
        var subscriptions: [Subscription] = []
        for _ in 0..<10 { subscriptions.append(try await connection.subscribe(rule) { _ in }) }
        for member in ["A", "B", "C"] {
            subscriptions.append(try await connection.subscribe(MatchRule(member: member)) { _ in })
        }
        let error = await #expect(throws: DBusError.self) {
            try await connection.subscribe(MatchRule(member: "D")) { _ in }
        }
        #expect(error?.standard == .limitsExceeded)
        for subscription in subscriptions.prefix(10) { subscription.cancel() }
        _ = try await connection.subscribe(MatchRule(member: "D")) { _ in }
        await #expect(throws: DBusError.self) {
            try await connection.subscribe(MatchRule(member: "not a member")) { _ in }
        }
    }
}
