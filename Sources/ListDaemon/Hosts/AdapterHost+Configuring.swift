@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// Takes other options, and other section controllers if there are any: they show the list when the transaction that
    /// says so is applied, not before, since the store may refuse it.
    func configure(
        _ id: RequestID, _ configuration: ListAdapter.Configuration, _ table: SectionControllerTable?
    ) {
        awaitedControllers[id] = table
        let operation = UpdateRequest.Operation.configure(configuration, controllersChanged: table != nil)
        line.add(UpdateRequest(id: id, operation: operation))
        feed()
    }

    /// Applies what the engine has prepared, with the section controllers that came with it.
    func applyPrepared(_ content: PreparedTransaction.Content) -> (result: FlushResult, removed: LargeRemoval?) {
        for id in line.givenIDs {
            if let table = awaitedControllers[id] { exchangeControllers(table) }
        }
        observer?(content)
        let removal = adapter.preparedRemoval
        return (adapter.commitFlush(), LargeRemoval(objects: removal.objects, total: removal.total))
    }
}
