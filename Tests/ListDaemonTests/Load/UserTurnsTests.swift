// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import TestSupport
import Testing

@Suite("UserTurns: users take turns, and the connections of a user", .timeLimit(.minutes(1)))
struct UserTurnsTests {
    /// Objects whose identities stand for connections.
    private final class Connections: Sendable {
        private final class Connection: Sendable {}

        private let all: [Connection]

        init(_ count: Int) { all = (0..<count).map { _ in Connection() } }

        subscript(index: Int) -> ObjectIdentifier { ObjectIdentifier(all[index]) }
    }

    private let connections = Connections(64)

    @Test("only one user has queued work → all of it is returned in order")
    func alone() {
        var turns = UserTurns<Int>()
        #expect(turns.first == nil && !turns.hasTurn)
        for number in 0..<5 { turns.append(number, user: 1, connection: connections[0]) }
        #expect(turns.count == 5 && turns.hasTurn && turns.first?.element == 0)
        #expect((0..<5).map { _ in turns.popFirst()?.element } == [0, 1, 2, 3, 4])
        #expect(turns.popFirst() == nil && turns.count == 0 && !turns.hasTurn)
    }

    @Test("one user has much work on many connections → another user's call is one of the next two")
    func secondUserIsServedSoon() {
        var turns = UserTurns<Int>()
        for number in 0..<200 { turns.append(number, user: 1, connection: connections[number % 20]) }
        for _ in 0..<10 { #expect(turns.popFirst()?.user == 1) }
        turns.append(1000, user: 2, connection: connections[50])
        let next = [turns.popFirst(), turns.popFirst()].compactMap { $0?.user }
        #expect(next.contains(2))
    }

    @Test("a connection closes → its queued requests are removed and returned in order")
    func left() {
        var turns = UserTurns<Int>()
        for number in 0..<6 { turns.append(number, user: 1, connection: connections[number % 2]) }
        turns.append(100, user: 2, connection: connections[2])
        #expect(turns.removeAll(for: connections[0], of: 1) == [0, 2, 4])
        #expect(turns.removeAll(for: connections[0], of: 1).isEmpty)
        #expect(turns.removeAll(for: connections[2], of: 1).isEmpty)
        #expect(turns.count == 4)
        #expect(turns.removeAll(for: connections[1], of: 1) == [1, 3, 5])
        #expect(turns.popFirst()?.element == 100)
        #expect(turns.popFirst() == nil && turns.count == 0)
        turns.append(7, user: 1, connection: connections[0])
        #expect(turns.popFirst()?.element == 7)
    }

    @Test("a connection is paused → the user's other connections are served; it resumes → its requests follow in order")
    func heldConnection() {
        var turns = UserTurns<Int>()
        let (a, c, d) = (connections[0], connections[2], connections[3])
        for number in 0..<6 { turns.append(number, user: 1, connection: connections[number % 2]) }
        #expect(turns.popFirst()?.element == 0)
        turns.hold(a, of: 1)
        turns.append(6, user: 1, connection: a)
        #expect((0..<3).compactMap { _ in turns.popFirst()?.element } == [1, 3, 5])
        #expect(turns.popFirst() == nil && !turns.hasTurn && turns.count == 3)
        #expect(turns.count(for: a, of: 1) == 3 && turns.count(for: connections[1], of: 1) == 0)
        // A connection without pieces can be held too.
        turns.hold(c, of: 2)
        turns.append(100, user: 2, connection: c)
        turns.append(101, user: 2, connection: d)
        #expect(turns.popFirst()?.element == 101 && turns.popFirst() == nil)
        turns.release(a, of: 1)
        #expect((0..<3).compactMap { _ in turns.popFirst()?.element } == [2, 4, 6])
        turns.release(c, of: 2)
        turns.release(c, of: 2)
        #expect(turns.popFirst()?.element == 100 && turns.count == 0)
    }

    @Test("a paused connection closes → its requests are returned, and new ones wait until it is released")
    func heldConnectionLeaves() {
        var turns = UserTurns<Int>()
        turns.append(0, user: 1, connection: connections[0])
        turns.hold(connections[0], of: 1)
        #expect(turns.removeAll(for: connections[0], of: 1) == [0])
        turns.append(1, user: 1, connection: connections[0])
        #expect(turns.popFirst() == nil)
        turns.release(connections[0], of: 1)
        #expect(turns.popFirst()?.element == 1)
    }

    @Test("a user is paused → other users are served; the user resumes → it takes turns again")
    func heldUser() {
        var turns = UserTurns<Int>()
        for number in 0..<10 {
            turns.append(number, user: 1, connection: connections[0])
            turns.append(100 + number, user: 2, connection: connections[1])
        }
        turns.hold(1)
        for number in 0..<5 { #expect(turns.popFirst()?.element == 100 + number) }
        turns.release(1)
        #expect((0..<4).compactMap { _ in turns.popFirst()?.user }.filter { $0 == 1 }.count == 2)
        while turns.popFirst() != nil {}
        turns.hold(3)
        turns.append(0, user: 3, connection: connections[2])
        #expect(turns.popFirst() == nil && turns.count == 1)
        turns.release(3)
        #expect(turns.popFirst()?.element == 0)
    }

    @Test("100,000 users wait, and half of them disconnect → the remaining users are served in linear time")
    func many() {
        var turns = UserTurns<Int>()
        let connection = connections[0]
        for number in 0..<300_000 { turns.append(number, user: UInt32(number % 100_000), connection: connection) }
        for user in stride(from: 0, to: 100_000 as UInt32, by: 2) {
            #expect(turns.removeAll(for: connection, of: user).count == 3)
        }
        var last: [UInt32: Int] = [:]
        while let piece = turns.popFirst() {
            #expect(last[piece.user] ?? -1 < piece.element)
            last[piece.user] = piece.element
        }
        #expect(last.count == 50_000 && turns.count == 0)
    }

    @Test(
        "requests are enqueued, held and removed at random → their order equals that of a reference with arrays",
        .rule("LD-02"),
        arguments: 0..<40 as Range<UInt64>)
    func reference(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var turns = UserTurns<Int>()
        var reference = NaiveTurns()
        for number in 0..<600 {
            let user = UInt32.random(in: 0..<4, using: &random)
            let connection = connections[Int(user) * 3 + Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...4:
                turns.append(number, user: user, connection: connection)
                reference.append(number, user: user, connection: connection)
            case 5...8:
                #expect(turns.popFirst()?.element == reference.popFirst())
            case 9:
                #expect(turns.removeAll(for: connection, of: user) == reference.removeAll(for: connection, of: user))
            case 10:
                turns.hold(connection, of: user)
                reference.setHeld(connection, of: user, to: true)
            default:
                turns.release(connection, of: user)
                reference.setHeld(connection, of: user, to: false)
            }
            #expect(turns.count == reference.count)
        }
        while let expected = reference.popFirst() { #expect(turns.popFirst()?.element == expected) }
        #expect(turns.popFirst() == nil)
    }
}

/// A reference implementation that rotates arrays: the first element of each array is the next one.
private struct NaiveTurns {
    private var ring: [UInt32] = []
    private var rings: [UInt32: [ObjectIdentifier]] = [:]
    private var pieces: [ObjectIdentifier: [Int]] = [:]
    private var held: Set<ObjectIdentifier> = []

    var count: Int { pieces.values.reduce(0) { $0 + $1.count } }

    mutating func append(_ number: Int, user: UInt32, connection: ObjectIdentifier) {
        pieces[connection, default: []].append(number)
        update(connection, of: user)
    }

    mutating func popFirst() -> Int? {
        guard let user = ring.first, let connection = rings[user]?.first else { return nil }
        ring.append(ring.removeFirst())
        rings[user] = (rings[user] ?? []).dropFirst() + [connection]
        let number = pieces[connection]?.removeFirst()
        update(connection, of: user)
        return number
    }

    mutating func removeAll(for connection: ObjectIdentifier, of user: UInt32) -> [Int] {
        let removed = pieces.removeValue(forKey: connection) ?? []
        update(connection, of: user)
        return removed
    }

    mutating func setHeld(_ connection: ObjectIdentifier, of user: UInt32, to isHeld: Bool) {
        if isHeld { held.insert(connection) } else { held.remove(connection) }
        update(connection, of: user)
    }

    private mutating func update(_ connection: ObjectIdentifier, of user: UInt32) {
        let isReady = pieces[connection]?.isEmpty == false && !held.contains(connection)
        var own = rings[user] ?? []
        if !isReady { own.removeAll { $0 == connection } } else if !own.contains(connection) { own.append(connection) }
        rings[user] = own
        if own.isEmpty { ring.removeAll { $0 == user } } else if !ring.contains(user) { ring.append(user) }
    }
}
