internal import DBus
internal import ListKit

extension SectionControllerTable {
    /// Makes the host of a list where its section controllers are: in this process, or in a worker.
    @DBusActor
    func makeHost(
        configuration: ListAdapter.Configuration, objects: [ListObject] = [], revision: UInt64 = 0,
        changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false, isRestored: Bool = false,
        times: CallbackTimes? = nil, sink: @escaping AdapterHost.Sink
    ) -> any ListHosting {
        guard let worker else {
            return AdapterHost(
                configuration: configuration, controllers: self, objects: objects, revision: revision,
                changes: changes, account: account, isStored: isStored, times: times, sink: sink)
        }
        let host = ListHost(
            configuration: configuration, controllers: self, objects: objects, revision: revision, changes: changes,
            account: account, isStored: isStored, wasPresented: isRestored, times: times, sink: sink)
        worker.host(host)
        return host
    }
}
