// SPDX-License-Identifier: Apache-2.0

@testable @_spi(Daemon) import ListKit

/// An object list with an owner that performs each step immediately. Store and presenter behave as configured.
final class ObjectListOwner {
    let list: ObjectList
    let presenter = FalsePresenter()
    var now: UInt64 = 0
    /// The error of the store, and whether the requests are then retried one by one; `nil` = writes succeed.
    var refusal: (error: ListError, retries: Bool)?
    var verdict = ItemMoveVerdict.refused
    private(set) var writes: [StoreWrite] = []
    private(set) var updates: [Change] = []
    private(set) var announced: [Transaction] = []
    private(set) var answers: [RequestAnswer] = []
    private var lastID: RequestID = 0

    init(
        _ objects: [ListObject] = [], numbers: RevisionNumbers = RevisionNumbers(restoring: 0, limit: 0),
        configure: (inout ListOptions) -> Void = { _ in }
    ) {
        var configuration = ListOptions(name: "test")
        configure(&configuration)
        list = ObjectList(
            table: SectionTable(objects), numbers: numbers, log: ChangeLog(revision: numbers.last),
            configuration: configuration)
        presenter.options = configuration
        _ = presenter.open(objects)
    }

    @discardableResult
    func enqueue(
        _ operation: UpdateRequest.Operation, expecting revision: UInt64 = 0, animated: Bool = true,
        maximumObjectBytes: Int = .max, cursor: [UInt8]? = nil
    ) -> RequestID {
        lastID += 1
        let request = UpdateRequest(
            id: lastID, expectedRevision: revision, animated: animated, maximumObjectBytes: maximumObjectBytes,
            cursor: cursor,
            operation: operation)
        list.enqueue(request, now: now)
        return lastID
    }

    /// Performs the next step, and the steps that follow from it.
    func performNextStep(isUrgent: Bool = false) { perform(list.next(now: now, isUrgent: isUrgent)) }

    /// Performs all pending steps.
    func flush() { while list.timing != .idle { performNextStep(isUrgent: true) } }

    func perform(_ step: UpdateStep) {
        switch step {
        case .owner(.wait): break
        case .owner(.diff(let job)): perform(list.finishDiff(job.run()))
        case .ask: perform(list.finishAskingAboutMove(verdict))
        case .owner(.store(let work)):
            writes.append(work)
            let outcome: Result<Void, ListError> = refusal.map { .failure($0.error) } ?? .success(())
            perform(list.finishStoring(outcome, retryingEach: refusal?.retries ?? false, now: now))
        case .owner(.reserve(let work)): list.finishReserving(work, .success(()), now: now)
        case .present(let update):
            updates.append(update)
            receive(list.finishPresenting(presenter.present(update).presented))
        case .presentItems:
            let said = presenter.changeItem(at: 0).presented
            receive(list.phase == .presenting ? list.finishPresenting(said) : list.recordItemChanges(said))
        case .owner(.announce(let said)): receive(said)
        }
    }

    func receive(_ announcement: Announcement?) {
        for case .updated(let transaction) in announcement?.events ?? [] { announced.append(transaction) }
        answers += announcement?.answers ?? []
    }

    func takeAnswers() -> [RequestAnswer] {
        defer { answers = [] }
        return answers
    }

    var ids: [String] { list.table.objects(.old, in: 0..<99).map(\.id) }
}
