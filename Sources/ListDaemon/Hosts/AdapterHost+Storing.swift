@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// What the store is writing.
    struct Storing {
        let token: StoringToken
        let work: Work
        /// Transactions whose entries in the stored log are brought up to date by this write.
        let corrected: [Transaction]

        enum Work {
            /// The transaction that the engine prepared; it was booked, and is remembered by its outline.
            case flush(PreparedTransaction.Content, booked: Quotas.Amounts?, outline: Transaction?)
            /// The whole list as it is, since it is stored from now on.
            case snapshot(RequestID)

            var isFlush: Bool { if case .flush = self { true } else { false } }
        }
    }

    /// Has a transaction stored; it is applied when the store has it.
    func store(_ transaction: PreparedTransaction, booked: Quotas.Amounts?) {
        let outline = adapter.outline()
        let corrections = corrections.filter { $0.baseRevision >= changes.oldestRevision }
        let update = PreparedUpdate(
            transaction: transaction, log: corrections + [outline].compactMap { $0 },
            oldestRevision: changes.oldestRevision, requests: line.givenIDs)
        store(update, .flush(transaction.content, booked: booked, outline: outline), correcting: corrections)
    }

    /// Stores the list from now on, or no more; in the first case it is stored at once.
    func keep(_ id: RequestID, _ keeps: Bool) {
        guard keeps, !isStored else {
            isStored = keeps
            return sink([.answer(id, .success(.done))])
        }
        // While a diff is computed the list is about to change.
        guard phase == .idle else { return deferred.append((.keep(id, keeps), nil)) }
        let revision = adapter.revision
        let objects = adapter.objects(from: 0, limit: .max)
        let known = (try? changes.changes(since: changes.oldestRevision, byteLimit: .max)) ?? []
        store(
            PreparedUpdate(
                transaction: PreparedTransaction(
                    baseRevision: revision, revision: revision, content: .replace(objects)),
                log: known, oldestRevision: changes.oldestRevision),
            .snapshot(id), correcting: [])
    }

    private func store(_ update: PreparedUpdate, _ work: Storing.Work, correcting corrections: [Transaction]) {
        lastToken += 1
        storing = Storing(token: lastToken, work: work, corrected: corrections)
        phase = .storing
        noteStoring(isLittle: line.isLight && work.isFlush)
        sink([.prepared(lastToken, update)])
    }

    /// Goes on when the store has done its work, or says why it could not.
    func stored(_ token: StoringToken, _ error: ListError?) {
        guard let storing, storing.token == token else { return }
        self.storing = nil
        phase = .idle
        if error == nil { corrections.removeAll { storing.corrected.contains($0) } }
        switch storing.work {
        case .flush(let content, let booked, let outline): finishStoring(content, booked, outline, error)
        case .snapshot(let id):
            isStored = error == nil
            sink([.answer(id, error.map { .failure($0) } ?? .success(.done))])
            feed()
        }
        takeDeferred()
    }

    /// Handles the commands that had to wait.
    func takeDeferred() {
        let commands = deferred
        deferred = []
        for (command, user) in commands { receive(command, by: user) }
    }

    private func finishStoring(
        _ content: PreparedTransaction.Content, _ booked: Quotas.Amounts?, _ outline: Transaction?, _ error: ListError?
    ) {
        if let error {
            if let booked { account?.cancel(booked) }
            return abort(error)
        }
        let (result, removed) = applyPrepared(content)
        if let transaction = result.transaction, !transaction.saysTheSame(as: outline) {
            corrections.append(transaction)
        }
        finish(result, removed: removed)
    }
}

extension Transaction {
    /// Whether `GetChanges` answers the same for both.
    fileprivate func saysTheSame(as other: Transaction?) -> Bool {
        guard let other else { return false }
        return baseRevision == other.baseRevision && kind == other.kind && sections == other.sections
            && items == other.items
    }
}
