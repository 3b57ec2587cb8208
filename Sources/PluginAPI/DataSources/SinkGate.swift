// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A gate that forwards the events of a data source until it is closed, and then drops them.
final class SinkGate: Sendable {
    private let isOpen = Atomic<Bool>(true)
    private let receiver: @Sendable (DataSourceEvent) -> Void

    init(_ receiver: @escaping @Sendable (DataSourceEvent) -> Void) {
        self.receiver = receiver
    }

    func deliver(_ event: DataSourceEvent) {
        if isOpen.load(ordering: .acquiring) { receiver(event) }
    }

    func close() { isOpen.store(false, ordering: .releasing) }
}
