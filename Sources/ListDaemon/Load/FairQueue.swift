// SPDX-License-Identifier: Apache-2.0

/// A queue of work in which users take turns, and the connections of a user take turns. The work of one connection
/// keeps its order.
///
/// Turns are measured in bytes, so that a user with large requests or many connections delays another user by only
/// one turn.
package struct FairQueue<Connection: Hashable & Sendable, Element: Sendable>: Sendable {
    /// A queued piece of work.
    package struct Piece: Sendable {
        /// The queued element.
        package let element: Element
        /// The size that was passed to `append`.
        package let size: Int
        /// The user that the work is for.
        package let user: UInt32
        /// The connection that the work is for.
        package let connection: Connection
    }

    /// The waiting pieces of one user.
    private struct UserQueue: Sendable {
        var turns: DeficitTurns<Connection>
        var pieces: [Connection: FirstInFirstOut<Piece>] = [:]
        /// The connections that are held back.
        var held: Set<Connection> = []

        var isUnused: Bool { pieces.isEmpty && held.isEmpty }

        /// Returns the next piece. The turn passes from connection to connection until a next piece fits.
        ///
        /// A second call returns the same piece, unless a connection was removed in between.
        mutating func first() -> Piece? {
            while let connection = turns.current, let piece = pieces[connection]?.first {
                if turns.fitsOrPassesTurn(piece.size) { return piece }
            }
            return nil
        }
    }

    private let quantum: Int
    private var turns: DeficitTurns<UInt32>
    private var users: [UInt32: UserQueue] = [:]
    /// The users that are held back.
    private var held: Set<UInt32> = []
    /// The only queued piece, while no other is queued and no user is held back. It needs no turns.
    private var single: Piece?
    /// The number of queued pieces.
    package private(set) var count = 0

    /// Makes an empty queue.
    ///
    /// - Parameter quantum: the bytes of a turn, both of a user and of a connection.
    package init(quantum: Int) {
        self.quantum = quantum
        turns = DeficitTurns(quantum: quantum)
    }

    /// Appends a piece of work to those of its connection, which belongs to one user.
    ///
    /// - Complexity: O(1)
    package mutating func append(_ element: Element, size: Int, user: UInt32, connection: Connection) {
        let piece = Piece(element: element, size: max(0, size), user: user, connection: connection)
        count += 1
        if count == 1, users.isEmpty, held.isEmpty {
            single = piece
            return
        }
        enqueueSingle()
        add(piece)
    }

    /// Adds a piece to the queue of its connection.
    private mutating func add(_ piece: Piece) {
        updateQueue(of: piece.user) { queue in
            queue.pieces[piece.connection, default: FirstInFirstOut()].append(piece)
            if !queue.held.contains(piece.connection) { queue.turns.add(piece.connection) }
        }
    }

    /// Moves the single piece to the queues that have turns. Call this before any other change.
    private mutating func enqueueSingle() {
        guard let piece = single else { return }
        single = nil
        add(piece)
    }

    /// Whether a queued piece is ready, that is, not held back.
    package var hasTurn: Bool { single != nil || turns.current != nil }

    /// Returns whether a connection has queued pieces.
    package func isWaiting(_ connection: Connection, of user: UInt32) -> Bool {
        single.map { $0.user == user && $0.connection == connection } ?? (users[user]?.pieces[connection] != nil)
    }

    /// Removes and returns the piece of work whose turn has come; nil if no piece is ready.
    ///
    /// - Complexity: O(1), amortised, for pieces up to the size of a quantum; a larger piece takes a step for each
    ///   quantum.
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
        if users[piece.user]?.pieces[piece.connection]?.first == nil {
            removeQueue(of: piece.connection, user: piece.user)
        }
        return piece
    }

    /// Returns the piece of work that `popFirst` would remove now; nil if no piece is ready. Holding, releasing and
    /// removing can change it.
    package mutating func first() -> Piece? {
        enqueueSingle()
        while let user = turns.current, let piece = users[user]?.first() {
            if turns.fitsOrPassesTurn(piece.size) { return piece }
        }
        return nil
    }

    /// Corrects the size of a removed piece, which changes its user's share of the coming turns.
    package mutating func correctSize(of piece: Piece, by difference: Int) {
        guard single != nil || !users.isEmpty else { return }
        enqueueSingle()
        turns.charge(difference, to: piece.user)
        users[piece.user]?.turns.charge(difference, to: piece.connection)
    }

    /// Removes and returns all pieces of a connection in order; the connection is not held back any more.
    ///
    /// - Complexity: O(removed pieces)
    package mutating func removeAll(for connection: Connection, of user: UInt32) -> [Element] {
        enqueueSingle()
        release(connection, of: user)
        guard let pieces = users[user]?.pieces[connection] else { return [] }
        let removed = pieces.elements.map(\.element)
        count -= removed.count
        removeQueue(of: connection, user: user)
        return removed
    }

    private mutating func removeQueue(of connection: Connection, user: UInt32) {
        updateQueue(of: user) { queue in
            queue.pieces[connection] = nil
            queue.turns.remove(connection)
        }
    }
}

// MARK: - Holding

extension FairQueue {
    /// Holds back the present and future pieces of a connection until it is released. Holding twice is the same as
    /// once.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ connection: Connection, of user: UInt32) {
        enqueueSingle()
        updateQueue(of: user) { queue in
            queue.held.insert(connection)
            queue.turns.suspend(connection)
        }
    }

    /// Lets a held connection take turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ connection: Connection, of user: UInt32) {
        guard users[user]?.held.contains(connection) == true else { return }
        updateQueue(of: user) { queue in
            queue.held.remove(connection)
            if queue.pieces[connection] != nil { queue.turns.add(connection) } else { queue.turns.remove(connection) }
        }
    }

    /// Holds back the present and future pieces of a user until the user is released.
    ///
    /// - Complexity: O(1)
    package mutating func hold(_ user: UInt32) {
        enqueueSingle()
        held.insert(user)
        updateTurns(of: user)
    }

    /// Lets a held user take turns again.
    ///
    /// - Complexity: O(1)
    package mutating func release(_ user: UInt32) {
        guard held.remove(user) != nil else { return }
        updateTurns(of: user)
    }

    private mutating func updateQueue(of user: UInt32, _ body: (inout UserQueue) -> Void) {
        let unused = UserQueue(turns: DeficitTurns(quantum: quantum))
        body(&users[user, default: unused])
        if users[user]?.isUnused == true { users[user] = nil }
        updateTurns(of: user)
    }

    /// Adds a user to the turns, suspends it or removes it. A user has turns as long as one of its connections has.
    private mutating func updateTurns(of user: UInt32) {
        if users[user]?.turns.current != nil, !held.contains(user) {
            turns.add(user)
        } else if users[user] != nil || held.contains(user) {
            turns.suspend(user)
        } else {
            turns.remove(user)
        }
    }
}

/// A first-in, first-out queue.
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
        // At least half of the storage is unused, so each remaining element moves at most once for each removed one.
        guard head * 2 >= storage.count else { return }
        storage.removeFirst(head)
        head = 0
    }
}
