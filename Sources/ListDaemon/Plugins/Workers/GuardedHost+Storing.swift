@_spi(Daemon) internal import ListKit

// Storing and booking happen in the daemon, whoever hosts the list.

extension GuardedHost {
    /// What the store is writing.
    struct Storing {
        enum Work {
            /// What the host in a seat prepared.
            case transaction(PreparedTransaction, hostToken: StoringToken, SeatNumber, [RequestID], Quotas.Amounts?)
            /// The whole list as it is.
            case snapshot(RequestID)
            /// A revision in which nothing changes but who makes the items.
            case renewal(Transaction)
        }

        let token: StoringToken
        let work: Work
    }

    /// What the host in a seat wants stored, and the requests that are answered with it.
    struct Prepared {
        let hostToken: StoringToken
        let update: PreparedUpdate
        let requests: [RequestID]
    }

    /// The host wants a transaction stored; false when it is none of this list.
    func prepare(_ hostToken: StoringToken, _ update: PreparedUpdate, _ requests: [RequestID]) -> Bool {
        let transaction = update.transaction
        let (next, overflow) = revision.addingReportingOverflow(1)
        guard let seat, stored == nil, prepared == nil, !overflow, transaction.baseRevision == revision,
            transaction.revision == next,
            update.log.allSatisfy({ $0.baseRevision < next && $0.revision == $0.baseRevision &+ 1 })
        else { return false }
        if case .transaction? = storing?.work { return false }
        guard storing == nil else {
            // The whole list is on its way to the store: what changes it is stored behind that.
            prepared = Prepared(hostToken: hostToken, update: update, requests: requests)
            return true
        }
        let booked: Quotas.Amounts?
        do throws(ListError) {
            booked = try account?.book(transaction.content) { id in snapshot.find(id)?.object }
        } catch {
            seat.send(.stored(hostToken, error))
            return true
        }
        let requests = requests.filter { self.requests[$0]?.isSent ?? false }
        let work = Storing.Work.transaction(transaction, hostToken: hostToken, seat.number, requests, booked)
        guard isStored else {
            finish(work, nil)
            return true
        }
        var update = update
        update.oldestRevision = changes.oldestRevision
        update.requests = requests
        write(update, work)
        return true
    }

    /// Stores the list from now on, or no more; in the first case it is stored at once.
    func keep(_ id: RequestID, _ keeps: Bool) {
        // While something is being stored, or applied in the seat, the daemon's copy is not what the list is about to be.
        guard storing == nil, stored == nil else { return self.keeps.append((id, keeps)) }
        guard keeps, !isStored else {
            isStored = keeps
            return sink([.answer(id, .success(.done))])
        }
        let known = (try? changes.changes(since: changes.oldestRevision, byteLimit: .max)) ?? []
        let content = PreparedTransaction.Content.replace(snapshot.objects)
        write(
            PreparedUpdate(
                transaction: PreparedTransaction(baseRevision: revision, revision: revision, content: content),
                log: known, oldestRevision: changes.oldestRevision), .snapshot(id))
    }

    /// Gives the list a revision for what other section controllers make of it; the store may refuse it, the list goes on.
    func renew() {
        isRenewed = true
        let (next, overflow) = revision.addingReportingOverflow(1)
        guard !overflow else { return openIfPossible() }
        let told = reload(leadingTo: next)
        let transaction = PreparedTransaction(
            baseRevision: revision, revision: next, content: .changes(PreparedTransaction.Changes()))
        if isStored {
            return write(
                PreparedUpdate(transaction: transaction, log: [told], oldestRevision: changes.oldestRevision),
                .renewal(told))
        }
        finish(.renewal(told), nil)
        openIfPossible()
    }

    private func write(_ update: PreparedUpdate, _ work: Storing.Work) {
        lastToken += 1
        storing = Storing(token: lastToken, work: work)
        sink([.prepared(lastToken, update)])
    }

    /// The store has done its work, or says why it could not.
    func storeAnswered(_ token: StoringToken, _ error: ListError?) {
        guard let storing, storing.token == token else { return }
        self.storing = nil
        finish(storing.work, error)
        keepIfPossible()
        storePrepared()
        if stopping != nil, seat == nil { return endWithoutSeat() }
        openIfPossible()
    }

    /// Does what waited until it is known what the list is.
    func keepIfPossible() {
        while storing == nil, stored == nil, !keeps.isEmpty {
            let next = keeps.removeFirst()
            keep(next.id, next.keeps)
        }
    }

    private func storePrepared() {
        guard storing == nil, let waiting = prepared else { return }
        prepared = nil
        if !prepare(waiting.hostToken, waiting.update, waiting.requests) {
            seat?.blame("it prepared a transaction that is none of its list")
        }
    }

    /// The list ends: nobody waits in vain for it to be kept.
    func refuseKeeps() {
        var ids = keeps.map(\.id)
        if case .snapshot(let id)? = storing?.work { ids.append(id) }
        keeps = []
        sink(ids.map { .answer($0, .failure(.gone(configuration.name, because: ended))) })
    }

    private func finish(_ work: Storing.Work, _ error: ListError?) {
        switch work {
        case .snapshot(let id):
            isStored = error == nil
            sink([.answer(id, error.map { .failure($0) } ?? .success(.done))])
        case .renewal(let told): if error == nil { count(told) }
        case .transaction(let transaction, let hostToken, let number, let requests, let booked):
            if let error {
                if let booked { account?.cancel(booked) }
                if seat?.number == number { seat?.send(.stored(hostToken, error)) }
                return
            }
            stored = (transaction, requests)
            if seat?.number == number { seat?.send(.stored(hostToken, nil)) } else { takeOverStored() }
        }
    }

    /// The host died before it could apply what is stored: the guard does, and tells it as soon as there is a host that
    /// knows the items.
    func takeOverStored() {
        guard let (transaction, requests) = stored else { return }
        stored = nil
        apply(transaction.content)
        count(reload(leadingTo: transaction.revision))
        for id in requests {
            guard let request = self.requests.removeValue(forKey: id) else { continue }
            takeOptions(of: request.command)
            lateAnswers.append(
                .answer(id, .success(.revision(transaction.revision, droppedDuplicates: 0, isRefused: false))))
        }
    }

    /// What clients are told who have to take everything anew; how many items there are is known when there is a host.
    private func reload(leadingTo next: UInt64) -> Transaction {
        Transaction(
            baseRevision: revision, revision: next, kind: .reload, animated: false, sectionCount: snapshot.count,
            itemCount: 0)
    }

    private func count(_ transaction: Transaction) {
        revision = transaction.revision
        changes.append(transaction)
        untold.append(transaction)
    }
}

extension PreparedTransaction.Content {
    /// Whether the daemon's copy of a list takes it over in microseconds.
    var isLight: Bool {
        switch self {
        case .replace(let objects): objects.count <= 64
        case .changes(let changes): changes.removed.count + changes.updated.count + changes.placed.count <= 64
        }
    }
}
