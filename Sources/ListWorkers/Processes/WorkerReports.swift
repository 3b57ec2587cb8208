// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListKit
internal import Synchronization

/// Decodes the reports of one worker and dispatches them in order: reports of a list to the list, others to the
/// supervisor.
///
/// Large reports are decoded on a separate queue, so that they do not block the event loop.
final class WorkerReports: Sendable {
    private let plugin: String
    /// Handles reports that are not about a list, on the thread that has decoded them.
    private let handle: @Sendable (WorkerReport) -> Void
    private let queue = DispatchQueue(label: "org.listd.worker.reports")
    /// The lists whose reports are dispatched, by their numbers; read on the queue.
    private let lists = Mutex<[PresenterNumber: any PresentedList]>([:])

    init(of plugin: String, _ handle: @escaping @Sendable (WorkerReport) -> Void) {
        self.plugin = plugin
        self.handle = handle
    }

    /// Dispatches the reports of a presenter to a list from now on.
    func dispatchReports(of number: PresenterNumber, to list: any PresentedList) {
        lists.withLock { $0[number] = list }
    }

    /// Discards the reports of a presenter from now on.
    func discardReports(of number: PresenterNumber) { lists.withLock { $0[number] = nil } }

    /// Handles a report on the caller's thread. Call this only when no earlier report is on the queue.
    ///
    /// - Throws: an error for bytes that are not an encoded report.
    func handleNow(_ packet: WorkerPacket) throws(WireError) { try decodeAndDispatch(packet, isLight: true) }

    /// Handles a report on the queue, after all earlier reports.
    ///
    /// - Parameter completion: called on the queue; the error is non-nil for bytes that are not an encoded report.
    func handleInOrder(_ packet: WorkerPacket, _ completion: @escaping @Sendable (WireError?) -> Void) {
        queue.async { [self] in
            do throws(WireError) {
                try decodeAndDispatch(packet, isLight: false)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Calls `completion` when all earlier reports are handled. Later reports of lists are discarded.
    func end(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            lists.withLock { $0 = [:] }
            completion()
        }
    }

    private func decodeAndDispatch(_ packet: WorkerPacket, isLight: Bool) throws(WireError) {
        let report = try packet.value(of: WorkerReport.self)
        guard case .presented(let number, let output) = report else { return handle(report) }
        let list = lists.withLock { $0[number] }
        list?.times?.countMessage(fromWorkerOf: plugin)
        list?.report(output, from: number, isLight: isLight)
    }
}
