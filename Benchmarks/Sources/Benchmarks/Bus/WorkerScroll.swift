// SPDX-License-Identifier: Apache-2.0

/// A view that is scrolled, on a list with the section controllers of a plugin.
final class WorkerScroll {
    let list: String
    private let stage: WorkerStage
    private let adapter: BareAdapter
    private let view: String
    private var count = 0

    init(_ stage: WorkerStage, list: String, sections: Int) {
        self.list = list
        self.stage = stage
        adapter = BareAdapter(stage.bus, configured: list)
        stage.bus.client.call(adapter.performUpdates(objectCount: sections) { [("title", "row \($0)")] })
        view = adapter.openView(by: stage.bus.client)
    }

    /// Scrolls the view and acknowledges the picture. Returns the nanoseconds from the call to its reply.
    func step() -> Int {
        let call = nextScrollCall()
        var sequence: UInt64 = 0
        let time = Runner.elapsed { sequence = send(call) }
        acknowledge(sequence)
        return time
    }

    /// Scrolls the view. Returns the number of messages that listd and the worker exchanged for that.
    func countMessagesOfStep() -> Int {
        let before = stage.messageCount(ofWorkerOf: list)
        let sequence = send(nextScrollCall())
        let after = stage.messageCount(ofWorkerOf: list)
        acknowledge(sequence)
        return after - before
    }

    private func nextScrollCall() -> BareMessage {
        count += 1
        // Scrolls past the view's buffer on both sides, so that all cells are new.
        return adapter.setViewport(view, y: Double(count % 400) * 1000, height: 840)
    }

    /// Sends a call of `SetViewport`. Returns the sequence number of the picture.
    private func send(_ call: BareMessage) -> UInt64 {
        var reader = stage.bus.client.call(call).reader
        return reader.uint64()
    }

    private func acknowledge(_ sequence: UInt64) {
        stage.bus.client.call(adapter.acknowledge(view, sequence: sequence))
        // The list replies to this call only after it has sent the signals that follow the acknowledgement.
        stage.bus.client.call(adapter.getItems(sectionCount: 1))
        stage.bus.client.discardReceivedMessages()
    }
}
