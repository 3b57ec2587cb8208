// SPDX-License-Identifier: Apache-2.0

import DBus
@_spi(Daemon) import ListKit
import TestSupport

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListWorkers

/// A call of a list's host as a value, with the number under which its answer is recorded. Tests choose such calls at
/// random, or send the same ones to two lists.
enum HostCall: Sendable {
    case update(RequestID, UpdateRequest.Operation, expecting: UInt64 = 0, maximumObjectBytes: Int = .max)
    case read(RequestID, HostRead)
    case openView(RequestID, ViewID, ListViewOptions)
    case view(RequestID, ViewID, ViewCommand)
    case configure(RequestID, ListOptions, SectionControllerTable?)
    case keep(RequestID, Bool)
    case stop(RequestID, ViewClosing)

    var id: RequestID {
        switch self {
        case .update(let id, _, _, _), .read(let id, _), .openView(let id, _, _), .view(let id, _, _),
            .configure(let id, _, _), .keep(let id, _), .stop(let id, _):
            id
        }
    }
}

/// What a call reads.
enum HostRead: Sendable {
    case objects(offset: Int, limit: Int, byteLimit: Int)
    case find(id: String)
    case changes(since: UInt64, byteLimit: Int)
    case description
    case asked(ItemQuery)
}

/// The answer to a call.
enum HostAnswer: Sendable {
    case written(revision: UInt64)
    case page(ObjectPage)
    case object(revision: UInt64, section: Int, ListObject)
    case changes(revision: UInt64, [Transaction])
    case text(String)
    /// The answer of the presenter, with the list's numbers.
    case presenter(PresenterAnswer, ListStatus)
    case done
}

/// What a host has told and wanted to store, step by step.
enum HostNews: Sendable {
    case status(ListStatus)
    /// The numbered write, which the test answers.
    case store(Int, StoreWrite)
    case changed(Change)
    case event(AdapterEvent)
    case losses([ContentLoss])
    case selection([SelectedItem])
    case view(ViewID, ViewDescription)
    case closed(ViewID, ViewClosing)
    case paused(Bool)
    case again(ListStatus)
    case answer(RequestID, Result<HostAnswer, ListError>)

    /// Returns the news of an announcement, in order.
    static func all(in said: Announcement) -> [HostNews] {
        var news: [HostNews] = []
        if let status = said.status { news.append(said.repeatsRevision ? .again(status) : .status(status)) }
        if let isPaused = said.isPaused { news.append(.paused(isPaused)) }
        if let change = said.change { news.append(.changed(change)) }
        if !said.losses.isEmpty { news.append(.losses(said.losses)) }
        if let items = said.selection { news.append(.selection(Array(items))) }
        for (view, description) in said.views { news.append(.view(view, description)) }
        for event in said.events {
            if case .closed(let view) = event {
                news.append(.closed(view, said.closings[view] ?? .closed))
            } else {
                news.append(.event(event))
            }
        }
        return news
    }
}

/// A list's host whose news are recorded, and whose calls and writes are numbered.
@DBusActor
final class RecordedHost {
    let host: ListHost
    private let record: @Sendable (HostNews) -> Void
    private let writes = Writes()
    private var status = ListStatus()
    /// The calls by the numbers that the host gives them.
    private var numbered: [RequestID] = []

    /// The writes that the test has not answered.
    @DBusActor
    private final class Writes {
        var waiting: [Int: @Sendable (ListError?) -> Void] = [:]
        var last = 0
    }

    /// Records the news of the host that `make` makes.
    init(_ record: @escaping @Sendable (HostNews) -> Void, _ make: (@escaping ListHost.Storing) -> ListHost) {
        self.record = record
        host = make { [writes] work, done in
            writes.last += 1
            writes.waiting[writes.last] = done
            record(.store(writes.last, work))
        }
        host.onAnnouncement { [weak self] said in
            if let status = said.status { self?.status = status }
            for news in HostNews.all(in: said) { record(news) }
        }
    }

    /// Returns the number of the call to which the host gave this one.
    func id(of request: RequestID) -> RequestID { numbered[Int(request) - 1] }

    /// Makes a call; its answer is recorded.
    func send(_ call: HostCall, by user: UInt32? = nil) {
        switch call {
        case .update, .read(_, .asked), .openView, .view, .configure, .keep: numbered.append(call.id)
        case .read, .stop: break
        }
        switch call {
        case .update(let id, let operation, let revision, let bytes):
            let request = UpdateRequest(
                id: id, expectedRevision: revision, maximumObjectBytes: bytes, operation: operation)
            host.update(request, by: user, done: written(id))
        case .read(let id, .objects(let offset, let limit, let bytes)):
            host.readPage(from: offset, limit: limit, byteLimit: bytes) { [record] in
                record(.answer(id, $0.map { .page($0) }))
            }
        case .read(let id, .find(let object)):
            host.readObject(object) { [record] in
                record(.answer(id, $0.map { .object(revision: $0.revision, section: $0.section, $0.object) }))
            }
        case .read(let id, .changes(let revision, let bytes)):
            host.readChanges(since: revision, byteLimit: bytes) { [record] in
                record(.answer(id, $0.map { .changes(revision: $0.revision, $0.changes) }))
            }
        case .read(let id, .description):
            host.describe { [record] in record(.answer(id, .success(.text($0)))) }
        case .read(let id, .asked(let query)): host.ask(query, by: user, done: presented(id))
        case .openView(let id, let view, let options): host.openView(view, options, by: user, done: presented(id))
        case .view(let id, let view, let command): host.view(command, on: view, by: user, done: presented(id))
        case .configure(let id, let options, let table): host.configure(options, table, done: written(id))
        case .keep(let id, let keeps): host.keep(keeps, done: written(id))
        case .stop(let id, let reason): host.stop(reason) { [record] in record(.answer(id, .success(.done))) }
        }
    }

    /// Answers a numbered write; a number without a write is ignored.
    func finishWrite(_ number: Int, _ error: ListError? = nil) { writes.waiting.removeValue(forKey: number)?(error) }

    private func written(_ id: RequestID) -> ListHost.RequestCompletion {
        { [record] answer, _ in record(.answer(id, answer.outcome.map { .written(revision: $0) })) }
    }

    private func presented(_ id: RequestID) -> ListHost.Completion<PresenterAnswer> {
        { [self] outcome in record(.answer(id, outcome.map { .presenter($0, status) })) }
    }
}

extension Result where Success == HostAnswer, Failure == ListError {
    /// The revision in the answer to a write, if it succeeded.
    var revision: UInt64? { if case .success(.written(let revision)) = self { revision } else { nil } }
    var errorCode: ListError.Code? { if case .failure(let error) = self { error.code } else { nil } }

    /// The page of objects that was read.
    var page: ObjectPage? { if case .success(.page(let page)) = self { page } else { nil } }

    /// The items that the presenter has returned.
    var items: [PlacedItem]? {
        if case .success(.presenter(.items(_, let items), _)) = self { items } else { nil }
    }
}
