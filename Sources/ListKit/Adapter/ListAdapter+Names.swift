// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// How a list behaves.
    public typealias Configuration = ListOptions
    /// How changes are announced.
    public typealias Updater = ListOptions.Updater
    /// When a list counts as empty.
    public typealias Emptiness = ListOptions.Emptiness
    /// How long requests are collected.
    public typealias Coalescing = ListOptions.Coalescing
}
