@_spi(Daemon) internal import ListKit

/// Who watches the calls of a list's section controllers: in a worker the tracer all of them, elsewhere the clock those of
/// plugins.
struct CallWatch {
    /// Times them; nil = nobody wants to know.
    let clock: CallbackClock?
    /// Traces them in a worker; nil = this is none.
    let tracer: CallTracer?

    /// The one to be told of the calls that go to these section controllers; nil = nobody.
    func delegate(for controllers: ExchangeableProvider) -> (any ListPerformanceDelegate)? {
        if let tracer { return tracer }
        // The built-in section controllers are called too often, and take too little, to be timed.
        return controllers.usesPlugins ? clock : nil
    }

    /// Makes an engine whose calls are watched.
    func makeAdapter(
        _ configuration: ListAdapter.Configuration, controllers: ExchangeableProvider, objects: [ListObject],
        revision: UInt64, on executor: HostExecutor
    ) -> ListAdapter {
        ListAdapter(
            configuration: configuration, controllers: controllers, objects: objects, revision: revision,
            executor: tracer ?? executor, performanceDelegate: delegate(for: controllers))
    }
}
