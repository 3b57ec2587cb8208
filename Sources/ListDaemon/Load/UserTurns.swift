// SPDX-License-Identifier: Apache-2.0

internal import ListWorkers

/// A queue of work in which users take turns, and the connections of a user take turns. The work of one connection
/// keeps its order.
///
/// A turn is one piece of work. So a user delays another one by one piece, however many pieces and connections it has.
package struct UserTurns<Element: Sendable>: Sendable {
    /// A queued piece of work.
    package struct Piece: Sendable {
        /// The queued element.
        package let element: Element
        /// The user that the work is for.
        package let user: UInt32
        /// The connection that the work is for.
        package let connection: ObjectIdentifier
    }

    /// The waiting pieces of one user.
    private struct User: Sendable {
        var ring = Ring<ObjectIdentifier>()
        var pieces: [ObjectIdentifier: WorkQueue<Element>] = [:]
        /// The connections that are held back.
        var held: Set<ObjectIdentifier> = []

        var isUnused: Bool { pieces.isEmpty && held.isEmpty }

        /// Forgets the pieces of a connection.
        mutating func drop(_ connection: ObjectIdentifier) {
            pieces[connection] = nil
            ring.remove(connection)
        }
    }

    private var ring = Ring<UInt32>()
    private var users: [UInt32: User] = [:]
    /// The users that are held back.
    private var held: Set<UInt32> = []
    /// The number of queued pieces.
    package private(set) var count = 0

    /// Makes an empty queue.
    package init() {}

    /// Whether a queued piece is ready, that is, not held back.
    package var hasTurn: Bool { ring.next != nil }

    /// The piece that `popFirst` would remove now; nil if no piece is ready.
    package var first: Piece? {
        guard let user = ring.next, let connection = users[user]?.ring.next,
            let element = users[user]?.pieces[connection]?.first
        else { return nil }
        return Piece(element: element, user: user, connection: connection)
    }

    /// Appends a piece of work to those of its connection, which belongs to one user.
    ///
    /// - Complexity: O(1)
    package mutating func append(_ element: Element, user: UInt32, connection: ObjectIdentifier) {
        count += 1
        update(user) { own in
            own.pieces[connection, default: WorkQueue()].append(element)
            if !own.held.contains(connection) { own.ring.insert(connection) }
        }
    }

    /// Removes and returns the piece of work whose turn has come; nil if no piece is ready.
    ///
    /// - Complexity: O(1), amortised
    package mutating func popFirst() -> Piece? {
        guard let piece = first else { return nil }
        count -= 1
        ring.pass()
        update(piece.user) { own in
            own.ring.pass()
            _ = own.pieces[piece.connection]?.popFirst()
            if own.pieces[piece.connection]?.isEmpty != false { own.drop(piece.connection) }
        }
        return piece
    }

    /// Returns the number of queued pieces of a connection.
    package func count(for connection: ObjectIdentifier, of user: UInt32) -> Int {
        users[user]?.pieces[connection]?.count ?? 0
    }

    /// Removes and returns all pieces of a connection in order. If the connection is held back, it stays so.
    ///
    /// - Complexity: O(removed pieces)
    package mutating func removeAll(for connection: ObjectIdentifier, of user: UInt32) -> [Element] {
        guard var pieces = users[user]?.pieces[connection] else { return [] }
        var removed: [Element] = []
        while let element = pieces.popFirst() { removed.append(element) }
        count -= removed.count
        update(user) { $0.drop(connection) }
        return removed
    }

    private mutating func update(_ user: UInt32, _ body: (inout User) -> Void) {
        body(&users[user, default: User()])
        if users[user]?.isUnused == true { users[user] = nil }
        updateTurns(of: user)
    }

    /// A user has turns as long as one of its connections has.
    private mutating func updateTurns(of user: UInt32) {
        if users[user]?.ring.next != nil, !held.contains(user) { ring.insert(user) } else { ring.remove(user) }
    }
}

// MARK: - Holding

extension UserTurns {
    /// Holds back the present and future pieces of a connection until it is released. Holding twice is the same as
    /// once.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ connection: ObjectIdentifier, of user: UInt32) {
        update(user) { own in
            own.held.insert(connection)
            own.ring.remove(connection)
        }
    }

    /// Lets a held connection take turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ connection: ObjectIdentifier, of user: UInt32) {
        guard users[user]?.held.contains(connection) == true else { return }
        update(user) { own in
            own.held.remove(connection)
            if own.pieces[connection] != nil { own.ring.insert(connection) }
        }
    }

    /// Holds back the present and future pieces of a user until the user is released.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ user: UInt32) {
        held.insert(user)
        ring.remove(user)
    }

    /// Lets a held user take turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ user: UInt32) {
        if held.remove(user) != nil { updateTurns(of: user) }
    }
}

/// Members that take turns.
private struct Ring<Member: Hashable & Sendable>: Sendable {
    private var links: [Member: (previous: Member, next: Member)] = [:]
    /// The member whose turn it is.
    private(set) var next: Member?

    /// Adds a member, unless it is there; its turn comes when all others have had theirs.
    ///
    /// - Complexity: O(1)
    mutating func insert(_ member: Member) {
        guard links[member] == nil else { return }
        guard let next, let last = links[next]?.previous else {
            links[member] = (member, member)
            self.next = member
            return
        }
        links[member] = (last, next)
        links[last]?.next = member
        links[next]?.previous = member
    }

    /// Removes a member. If it had the turn, the turn passes to the next member.
    ///
    /// - Complexity: O(1)
    mutating func remove(_ member: Member) {
        guard let link = links.removeValue(forKey: member) else { return }
        if next == member { next = link.next == member ? nil : link.next }
        links[link.previous]?.next = link.next
        links[link.next]?.previous = link.previous
    }

    /// Passes the turn to the next member.
    mutating func pass() { next = next.flatMap { links[$0]?.next } }
}
