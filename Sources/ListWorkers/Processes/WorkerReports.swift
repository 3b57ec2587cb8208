// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListKit
internal import Synchronization

/// Decodes what one worker reports, and hands it on in order: a list's to the list, the rest to the supervision.
///
/// Large reports are decoded on a queue of its own, so that they do not keep the event loop.
final class WorkerReports: Sendable {
    private let plugin: String
    /// Handles what is not about a list, on the thread that has decoded it.
    private let handle: @Sendable (WorkerReport) -> Void
    private let queue = DispatchQueue(label: "org.listd.worker.reports")
    /// Who gets what is reported of a list; read on the queue.
    private let lists = Mutex<[PresenterNumber: any PresentedList]>([:])

    init(of plugin: String, _ handle: @escaping @Sendable (WorkerReport) -> Void) {
        self.plugin = plugin
        self.handle = handle
    }

    /// Lets what is reported of a list through to its host.
    func admit(_ list: any PresentedList, at slot: PresenterNumber) { lists.withLock { $0[slot] = list } }

    /// Lets nothing of a list through any more.
    func drop(_ slot: PresenterNumber) { lists.withLock { $0[slot] = nil } }

    /// Handles a report on the caller's thread; nothing may be under way on the queue.
    ///
    /// - Throws: for bytes that no worker writes.
    func handleNow(_ packet: WorkerPacket) throws(WireError) { try read(packet, isLight: true) }

    /// Handles a report after those before it.
    ///
    /// - Parameter completion: called on the queue, with what is wrong with the bytes.
    func handleInOrder(_ packet: WorkerPacket, _ completion: @escaping @Sendable (WireError?) -> Void) {
        queue.async { [self] in
            do throws(WireError) {
                try read(packet, isLight: false)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    /// Calls `completion` when everything before is handled; nothing of a list gets through after that.
    func end(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            lists.withLock { $0 = [:] }
            completion()
        }
    }

    private func read(_ packet: WorkerPacket, isLight: Bool) throws(WireError) {
        let report = try packet.value(of: WorkerReport.self)
        guard case .presented(let slot, let output) = report else { return handle(report) }
        let list = lists.withLock { $0[slot] }
        list?.times?.addReport(ofWorkerOf: plugin)
        list?.report(output, from: slot, isLight: isLight)
    }
}
