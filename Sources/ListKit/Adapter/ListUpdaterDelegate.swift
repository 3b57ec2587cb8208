// SPDX-License-Identifier: Apache-2.0

/// Observes the updater of a list.
///
/// IGListKit's events outside a batch do not exist here: every change of items is part of a batch.
public protocol ListUpdaterDelegate: AnyObject {
    /// A diff begins.
    func adapter(_ adapter: ListAdapter, willDiffFrom old: [ListObject], to new: [ListObject])
    /// A diff has ended.
    func adapter(_ adapter: ListAdapter, didDiff result: ListIndexSetResult, onBackgroundThread: Bool)
    /// A transaction is about to be applied.
    func adapter(_ adapter: ListAdapter, willApply baseRevision: UInt64)
    /// A transaction was applied as a batch, in the form of IGListKit's batch data and in the one that is announced.
    func adapter(_ adapter: ListAdapter, didApply batch: ListBatchUpdateData, as transaction: Transaction)
    /// A transaction was applied as a reload; `isFallback` if the change was too large for a batch.
    func adapter(_ adapter: ListAdapter, didReload transaction: Transaction, isFallback: Bool)
    /// A flush without changes has ended.
    func adapterDidFinishWithoutUpdates(_ adapter: ListAdapter)
    /// A section is at fault, where IGListKit would crash.
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
