@_spi(Daemon) internal import ListKit

// A list whose section controllers change it without end is slowed down, and nobody else.

extension GuardedHost {
    /// The most that a list says while it has to wait; its host is held by what it is not answered long before.
    static let maximumBacklog = 4096

    /// Takes what the host in a seat yields: at once, or when it is its turn.
    func receive(_ output: HostOutput, from number: SeatNumber) {
        guard seat?.number == number else { return }
        defer { noteWork() }
        count(output.times)
        guard backlog.isEmpty, !mustWait(output) else { return putOff(output) }
        handle(output)
    }

    private func count(_ spent: [String: CallbackTimes.Times]) {
        guard let times else { return }
        for (plugin, time) in spent where plugins.contains(plugin) { times.add(time, of: plugin) }
    }

    /// Whether this is something that nobody asked for, and too much of it.
    private func mustWait(_ output: HostOutput) -> Bool {
        guard case .serving = phase, output.isUnasked, let pause = brake.take(at: .now) else { return false }
        let milliseconds = UInt64(pause / .milliseconds(1)) + 1
        executor.post(after: milliseconds) { [weak self] in self?.assumeIsolated { $0.drain() } }
        return true
    }

    private func putOff(_ output: HostOutput) {
        guard backlog.count < Self.maximumBacklog else {
            seat?.blame("it flooded the list \(configuration.name.quoted)")
            return
        }
        backlog.append(output)
    }

    private func drain() {
        while let next = backlog.first, !mustWait(next) {
            backlog.removeFirst()
            handle(next)
        }
    }
}

extension HostOutput {
    /// Whether no request is answered by it, or was the cause of it.
    fileprivate var isUnasked: Bool {
        preparedRequests.isEmpty
            && !effects.contains { effect in
                if case .answer = effect { true } else { false }
            }
    }
}
