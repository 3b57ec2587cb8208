@_spi(Daemon) internal import ListKit

/// Presents a list on its own executor: section controllers that are built in or run in the daemon, and `listd/single` in place
/// of those of a plugin that has failed.
final class LocalPresenter: Presenter {
    let number = PresenterNumbers.next()
    private let presentation: PresentationHost

    /// - Parameter output: takes what is reported, on the executor.
    init(executor: HostExecutor, output: @escaping @Sendable (PresenterOutput, PresenterNumber) -> Void) {
        let number = number
        presentation = PresentationHost(executor: executor, tracer: CallTracer(nil), resolve: { $0 }) {
            output($0, number)
        }
    }

    var asksPlugin: Bool { false }

    func perform(_ order: PresenterOrder, by user: UInt32?) {
        presentation.assumeIsolated { $0.perform(order, by: user) }
    }

    func sendMore() -> Bool { false }

    func blame(_ reason: String) {}

    func close() { presentation.assumeIsolated { $0.end() } }
}
