// SPDX-License-Identifier: Apache-2.0

/// Work that waits for its turn: users take turns, within a user its connections do, and what comes from one connection keeps
/// its order.
///
/// Turns are measured in bytes, so that a user who asks for much, or over many connections, delays another one by a turn.
package struct FairQueue<Connection: Hashable & Sendable, Element: Sendable>: Sendable {
    /// A piece of work whose turn has come.
    package struct Piece: Sendable {
        /// The work.
        package let element: Element
        /// Its size, as `append` was given it.
        package let size: Int
        /// The user who waits for it.
        package let user: UInt32
        /// The connection for which it waits.
        package let connection: Connection
    }

    /// The waiting pieces of one user.
    private struct UserQueue: Sendable {
        var turns: DeficitTurns<Connection>
        var pieces: [Connection: FirstInFirstOut<Piece>] = [:]
        /// Connections that have no turns for now.
        var held: Set<Connection> = []

        var isUnused: Bool { pieces.isEmpty && held.isEmpty }

        /// The piece that is next; the turn moves on until a user's next piece fits.
        ///
        /// Asking twice gives the same, unless something has left meanwhile.
        mutating func first() -> Piece? {
            while let connection = turns.current, let piece = pieces[connection]?.first {
                if turns.fits(piece.size) { return piece }
            }
            return nil
        }
    }

    private let quantum: Int
    private var turns: DeficitTurns<UInt32>
    private var users: [UInt32: UserQueue] = [:]
    /// Users that have no turns for now.
    private var held: Set<UInt32> = []
    /// The only piece that waits, while no other does and nobody is held: then there are no turns to be kept.
    private var single: Piece?
    /// How many pieces wait.
    package private(set) var count = 0

    /// Nothing waits.
    ///
    /// - Parameter quantum: the bytes of a turn, of a user and of a connection.
    package init(quantum: Int) {
        self.quantum = quantum
        turns = DeficitTurns(quantum: quantum)
    }

    /// Puts a piece of work behind what waits for the same connection, which belongs to one user.
    ///
    /// - Complexity: O(1)
    package mutating func append(_ element: Element, size: Int, user: UInt32, connection: Connection) {
        let piece = Piece(element: element, size: max(0, size), user: user, connection: connection)
        count += 1
        if count == 1, users.isEmpty, held.isEmpty {
            single = piece
            return
        }
        addSingle()
        add(piece)
    }

    private mutating func add(_ piece: Piece) {
        change(piece.user) { queue in
            queue.pieces[piece.connection, default: FirstInFirstOut()].append(piece)
            if !queue.held.contains(piece.connection) { queue.turns.join(piece.connection) }
        }
    }

    /// Adds the only piece to those that have turns, before anything else changes.
    private mutating func addSingle() {
        guard let piece = single else { return }
        single = nil
        add(piece)
    }

    /// Whether a piece can be taken out: at least one that waits is not held back.
    package var hasTurn: Bool { single != nil || turns.current != nil }

    /// Whether something waits for a connection.
    package func isWaiting(_ connection: Connection, of user: UInt32) -> Bool {
        single.map { $0.user == user && $0.connection == connection } ?? (users[user]?.pieces[connection] != nil)
    }

    /// Takes out the piece of work whose turn has come; nil when nothing waits.
    ///
    /// - Complexity: O(1), amortised, for pieces of up to a quantum; a larger one takes a step for each quantum of it.
    package mutating func popFirst() -> Piece? {
        if let piece = single {
            single = nil
            count -= 1
            return piece
        }
        guard count > 0, let piece = first() else { return nil }
        turns.charge(piece.size, to: piece.user)
        users[piece.user]?.turns.charge(piece.size, to: piece.connection)
        users[piece.user]?.pieces[piece.connection]?.removeFirst()
        count -= 1
        if users[piece.user]?.pieces[piece.connection]?.first == nil { forget(piece.connection, of: piece.user) }
        return piece
    }

    /// The piece of work whose turn has come, which `popFirst` takes out unless something is held, released or removed before.
    package mutating func first() -> Piece? {
        addSingle()
        while let user = turns.current, let piece = users[user]?.first() {
            if turns.fits(piece.size) { return piece }
        }
        return nil
    }

    /// Corrects the size of a piece that was taken out: its user has less, or more, of the turns to come.
    package mutating func correct(_ piece: Piece, by difference: Int) {
        guard single != nil || !users.isEmpty else { return }
        addSingle()
        turns.charge(difference, to: piece.user)
        users[piece.user]?.turns.charge(difference, to: piece.connection)
    }

    /// Takes out everything that waits for a connection, in its order; the connection is not held any more.
    ///
    /// - Complexity: O(pieces that are taken out)
    package mutating func removeAll(for connection: Connection, of user: UInt32) -> [Element] {
        addSingle()
        release(connection, of: user)
        guard let pieces = users[user]?.pieces[connection] else { return [] }
        let removed = pieces.elements.map(\.element)
        count -= removed.count
        forget(connection, of: user)
        return removed
    }

    private mutating func forget(_ connection: Connection, of user: UInt32) {
        change(user) { queue in
            queue.pieces[connection] = nil
            queue.turns.leave(connection)
        }
    }
}

// MARK: - Holding

extension FairQueue {
    /// Keeps what waits for a connection, now and later, until it is released; holding it twice is the same as once.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ connection: Connection, of user: UInt32) {
        addSingle()
        change(user) { queue in
            queue.held.insert(connection)
            queue.turns.suspend(connection)
        }
    }

    /// Lets a connection take its turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ connection: Connection, of user: UInt32) {
        guard users[user]?.held.contains(connection) == true else { return }
        change(user) { queue in
            queue.held.remove(connection)
            if queue.pieces[connection] != nil { queue.turns.join(connection) } else { queue.turns.leave(connection) }
        }
    }

    /// Keeps what waits for a user, now and later, until it is released.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ user: UInt32) {
        addSingle()
        held.insert(user)
        settle(user)
    }

    /// Lets a user take its turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ user: UInt32) {
        guard held.remove(user) != nil else { return }
        settle(user)
    }

    private mutating func change(_ user: UInt32, _ body: (inout UserQueue) -> Void) {
        let none = UserQueue(turns: DeficitTurns(quantum: quantum))
        body(&users[user, default: none])
        if users[user]?.isUnused == true { users[user] = nil }
        settle(user)
    }

    /// A user has turns as long as one of its connections has.
    private mutating func settle(_ user: UInt32) {
        if users[user]?.turns.current != nil, !held.contains(user) {
            turns.join(user)
        } else if users[user] != nil || held.contains(user) {
            turns.suspend(user)
        } else {
            turns.leave(user)
        }
    }
}

/// Elements in the order in which they came.
private struct FirstInFirstOut<Element: Sendable>: Sendable {
    private var storage: [Element?] = []
    private var head = 0

    var first: Element? { head < storage.count ? storage[head] : nil }

    var elements: [Element] { storage[head...].compactMap(\.self) }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func removeFirst() {
        guard head < storage.count else { return }
        storage[head] = nil
        head += 1
        // Half of it was removed: each remaining element moves once for each removed one.
        guard head * 2 >= storage.count else { return }
        storage.removeFirst(head)
        head = 0
    }
}
