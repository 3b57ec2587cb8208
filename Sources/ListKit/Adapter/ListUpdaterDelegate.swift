// SPDX-License-Identifier: Apache-2.0

/// An observer of the updater of a list.
///
/// IGListKit's events for changes outside of a batch do not exist, because every change of items is part of a batch.
public protocol ListUpdaterDelegate: AnyObject {
    /// Called before a diff is computed.
    func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject])
    /// Called after a diff was computed.
    func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool)
    /// Called before a transaction is applied.
    func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64)
    /// Called after a transaction was applied as a batch.
    ///
    /// - Parameters:
    ///   - batch: the changes in the form of IGListKit's batch data.
    ///   - transaction: the changes as they are announced.
    func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction)
    /// Called after a transaction was applied as a reload.
    ///
    /// - Parameter isFallback: whether the change was too large for a batch.
    func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool)
    /// Called after a flush has ended without changes.
    func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter)
    /// Called when a section is found to be at fault. In the same situation, IGListKit would crash.
    func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault)
}

extension ListUpdaterDelegate {
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject]) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool) {}
    /// Does nothing.
    public func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter) {}
    /// Does nothing.
    public func adapter(_ adapter: ListAdapter, didFindFault fault: SectionFault) {}
}
