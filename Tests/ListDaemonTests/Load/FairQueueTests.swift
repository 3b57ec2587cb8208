// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("FairQueue: round-robin scheduling by user", .timeLimit(.minutes(1)))
struct FairQueueTests {
    private typealias Queue = FairQueue<String, Int>

    @Test("only one user has queued work → all of it is returned in order without waiting, whatever its size")
    func alone() {
        var queue = Queue(quantum: 10)
        for number in 0..<5 { queue.append(number, size: number * 1000, user: 1, connection: ":1.1") }
        #expect(queue.count == 5)
        #expect((0..<5).map { _ in queue.popFirst()?.element } == [0, 1, 2, 3, 4])
        #expect(queue.popFirst() == nil && queue.count == 0)
    }

    @Test("one user has much work on many connections → another user's call is one of the next two")
    func secondUserIsServedSoon() {
        var queue = Queue(quantum: 100)
        for number in 0..<200 { queue.append(number, size: 100, user: 1, connection: ":1.\(number % 20)") }
        for _ in 0..<10 { #expect(queue.popFirst()?.user == 1) }
        queue.append(1000, size: 100, user: 2, connection: ":1.50")
        let next = [queue.popFirst(), queue.popFirst()].compactMap { $0?.user }
        #expect(next.contains(2))
    }

    @Test(
        "users queue work of different sizes → they get the same number of bytes, to within one quantum and one request"
    )
    func bytes() {
        var random = SeededRandom(seed: 24)
        var queue = Queue(quantum: 1 << 16)
        let largest = [200, 1 << 12, 1 << 16, 1 << 20]
        for (user, largest) in largest.enumerated() {
            var waiting = 0
            while waiting < 40 << 20 {
                let size = Int.random(in: 1...largest, using: &random)
                queue.append(
                    0, size: size, user: UInt32(user), connection: "\(user).\(Int.random(in: 0..<5, using: &random))")
                waiting += size
            }
        }
        var served = [Int](repeating: 0, count: largest.count)
        while served.max() ?? 0 < 30 << 20, let piece = queue.popFirst() { served[Int(piece.user)] += piece.size }
        let difference = (served.max() ?? 0) - (served.min() ?? 0)
        #expect(difference <= 2 * ((1 << 16) + (1 << 20)), "\(served)")
    }

    @Test("a request was larger than announced → its user waits until other users have had as many bytes")
    func corrected() throws {
        var queue = Queue(quantum: 100)
        for number in 0..<50 {
            queue.append(number, size: 10, user: 1, connection: "a")
            queue.append(number, size: 10, user: 2, connection: "b")
        }
        let popped = queue.popFirst()
        let first = try #require(popped)
        #expect(first.user == 1)
        queue.correctSize(of: first, by: 290)
        var others = 0
        while let piece = queue.popFirst(), piece.user == 2 { others += 1 }
        #expect(others >= 20 && others <= 40, "\(others)")
    }

    @Test("a connection closes → its queued requests are removed and returned in order")
    func left() {
        var queue = Queue(quantum: 100)
        for number in 0..<6 { queue.append(number, size: 50, user: 1, connection: number % 2 == 0 ? "a" : "b") }
        queue.append(100, size: 50, user: 2, connection: "c")
        #expect(queue.removeAll(for: "a", of: 1) == [0, 2, 4])
        #expect(queue.removeAll(for: "a", of: 1).isEmpty && queue.removeAll(for: "c", of: 1).isEmpty)
        #expect(queue.count == 4)
        #expect(queue.removeAll(for: "b", of: 1) == [1, 3, 5])
        #expect(queue.popFirst()?.element == 100)
        #expect(queue.popFirst() == nil && queue.count == 0)
        queue.append(7, size: 1, user: 1, connection: "a")
        #expect(queue.popFirst()?.element == 7)
    }

    @Test("a connection is paused → the user's other connections are served; it resumes → its requests follow in order")
    func heldConnection() {
        var queue = Queue(quantum: 100)
        for number in 0..<6 { queue.append(number, size: 50, user: 1, connection: number % 2 == 0 ? "a" : "b") }
        #expect(queue.popFirst()?.element == 0)
        queue.hold("a", of: 1)
        queue.append(6, size: 50, user: 1, connection: "a")
        #expect((0..<3).compactMap { _ in queue.popFirst()?.element } == [1, 3, 5])
        #expect(queue.popFirst() == nil && !queue.hasTurn && queue.count == 3)
        // A connection without pieces can be held too.
        queue.hold("c", of: 2)
        queue.append(100, size: 50, user: 2, connection: "c")
        queue.append(101, size: 50, user: 2, connection: "d")
        #expect(queue.popFirst()?.element == 101 && queue.popFirst() == nil)
        queue.release("a", of: 1)
        #expect((0..<3).compactMap { _ in queue.popFirst()?.element } == [2, 4, 6])
        queue.release("c", of: 2)
        queue.release("c", of: 2)
        #expect(queue.popFirst()?.element == 100 && queue.count == 0)
    }

    @Test("a paused connection closes → its requests are returned, and a new one is not paused")
    func heldConnectionLeaves() {
        var queue = Queue(quantum: 100)
        queue.append(0, size: 50, user: 1, connection: "a")
        queue.hold("a", of: 1)
        #expect(queue.removeAll(for: "a", of: 1) == [0])
        queue.append(1, size: 50, user: 1, connection: "a")
        #expect(queue.popFirst()?.element == 1)
    }

    @Test("a user is paused → other users are served; the user resumes → earlier excess bytes still count")
    func heldUser() throws {
        var queue = Queue(quantum: 100)
        for number in 0..<40 {
            queue.append(number, size: 50, user: 1, connection: "a")
            queue.append(100 + number, size: 50, user: 2, connection: "b")
        }
        let taken = queue.popFirst()
        let first = try #require(taken)
        queue.hold(1)
        queue.correctSize(of: first, by: 500)
        for number in 0..<5 { #expect(queue.popFirst()?.element == 100 + number) }
        queue.release(1)
        // User 1 waits until user 2 has had as many bytes.
        #expect((0..<8).allSatisfy { _ in queue.popFirst()?.user == 2 })
        var users: Set<UInt32> = []
        while let piece = queue.popFirst() { users.insert(piece.user) }
        #expect(users == [1, 2] && queue.count == 0)
        queue.hold(3)
        queue.append(0, size: 1, user: 3, connection: "c")
        #expect(queue.popFirst() == nil)
        queue.release(3)
        #expect(queue.popFirst()?.element == 0)
    }

    @Test("100,000 users wait, and half of them disconnect → the remaining users are served in linear time")
    func many() {
        var queue = FairQueue<Int, Int>(quantum: 100)
        for number in 0..<300_000 {
            queue.append(number, size: 100, user: UInt32(number % 100_000), connection: number % 100_000)
        }
        for user in stride(from: 0, to: 100_000, by: 2) {
            #expect(queue.removeAll(for: user, of: UInt32(user)).count == 3)
        }
        var last: [UInt32: Int] = [:]
        while let piece = queue.popFirst() {
            #expect(last[piece.user] ?? -1 < piece.element)
            last[piece.user] = piece.element
        }
        #expect(last.count == 50_000 && queue.count == 0)
    }

    @Test(
        "requests are enqueued and removed at random → their order equals that of a reference with arrays",
        .rule("LD-02"),
        arguments: 0..<40 as Range<UInt64>)
    func reference(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let quantum = Int.random(in: 1...200, using: &random)
        var queue = Queue(quantum: quantum)
        var reference = NaiveTurns(quantum: quantum)
        for number in 0..<600 {
            let user = UInt32.random(in: 0..<4, using: &random)
            let connection = "\(user).\(Int.random(in: 0..<3, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                let size = random.chance(oneIn: 8) ? 1000 : Int.random(in: 0...100, using: &random)
                queue.append(number, size: size, user: user, connection: connection)
                reference.append(number, size: size, user: user, connection: connection)
            case 5...8:
                let piece = queue.popFirst()
                #expect(piece?.element == reference.popFirst())
                guard let piece, random.chance(oneIn: 3) else { continue }
                let difference = Int.random(in: -50...300, using: &random)
                queue.correctSize(of: piece, by: difference)
                reference.correct(user: piece.user, connection: piece.connection, by: difference)
            default:
                #expect(
                    queue.removeAll(for: connection, of: user) == reference.removeAll(for: connection, of: user))
            }
            #expect(queue.count == reference.count)
        }
        while let expected = reference.popFirst() { #expect(queue.popFirst()?.element == expected) }
        #expect(queue.popFirst() == nil)
    }
}

/// A reference implementation that rotates arrays: the first element of each array is the next one.
private struct NaiveTurns {
    private struct Line {
        var connection: String
        var credit = 0
        var pieces: [(number: Int, size: Int)] = []
    }

    private struct User {
        var user: UInt32
        var credit = 0
        var lines: [Line] = []
    }

    private let quantum: Int
    private var users: [User] = []

    init(quantum: Int) { self.quantum = quantum }

    var count: Int { users.flatMap(\.lines).reduce(0) { $0 + $1.pieces.count } }

    mutating func append(_ number: Int, size: Int, user: UInt32, connection: String) {
        if !users.contains(where: { $0.user == user }) {
            users.append(User(user: user, credit: users.isEmpty ? quantum : 0))
        }
        guard let place = users.firstIndex(where: { $0.user == user }) else { return }
        if !users[place].lines.contains(where: { $0.connection == connection }) {
            users[place].lines.append(Line(connection: connection, credit: users[place].lines.isEmpty ? quantum : 0))
        }
        guard let line = users[place].lines.firstIndex(where: { $0.connection == connection }) else { return }
        users[place].lines[line].pieces.append((number, size))
    }

    mutating func popFirst() -> Int? {
        while !users.isEmpty {
            while users[0].lines[0].pieces[0].size > users[0].lines[0].credit {
                users[0].lines.append(users[0].lines.removeFirst())
                users[0].lines[0].credit += quantum
            }
            let piece = users[0].lines[0].pieces[0]
            guard piece.size <= users[0].credit else {
                users.append(users.removeFirst())
                users[0].credit += quantum
                continue
            }
            users[0].credit -= piece.size
            users[0].lines[0].credit -= piece.size
            users[0].lines[0].pieces.removeFirst()
            if users[0].lines[0].pieces.isEmpty { remove(line: 0, ofUserAt: 0) }
            return piece.number
        }
        return nil
    }

    mutating func correct(user: UInt32, connection: String, by difference: Int) {
        guard let place = users.firstIndex(where: { $0.user == user }) else { return }
        users[place].credit -= difference
        guard let line = users[place].lines.firstIndex(where: { $0.connection == connection }) else { return }
        users[place].lines[line].credit -= difference
    }

    mutating func removeAll(for connection: String, of user: UInt32) -> [Int] {
        guard let place = users.firstIndex(where: { $0.user == user }),
            let line = users[place].lines.firstIndex(where: { $0.connection == connection })
        else { return [] }
        let removed = users[place].lines[line].pieces.map(\.number)
        remove(line: line, ofUserAt: place)
        return removed
    }

    private mutating func remove(line: Int, ofUserAt place: Int) {
        users[place].lines.remove(at: line)
        if line == 0, !users[place].lines.isEmpty { users[place].lines[0].credit += quantum }
        guard users[place].lines.isEmpty else { return }
        users.remove(at: place)
        if place == 0, !users.isEmpty { users[0].credit += quantum }
    }
}
