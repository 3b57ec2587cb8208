@_spi(Daemon) internal import ListKit

/// Times the calls of a list's section controllers that come from plugins.
struct CallWatch {
    /// Times them; nil = nobody wants to know.
    let clock: CallbackClock?

    /// The one to be told of the calls that go to these section controllers; nil = nobody.
    func delegate(for controllers: ExchangeableProvider) -> (any ListPerformanceDelegate)? {
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
            executor: executor, performanceDelegate: delegate(for: controllers))
    }
}
