// SPDX-License-Identifier: Apache-2.0

package import ListKit

extension AdapterOptions {
    /// Returns the configuration of the engine with these options.
    package func configuration(named name: String) -> ListAdapter.Configuration {
        var configuration = ListAdapter.Configuration(name: name)
        configuration.layout = layout
        configuration.direction = direction
        configuration.stickyHeaders = stickyHeaders
        configuration.stretchToEdge = stretchToEdge
        configuration.showHeaderWhenEmpty = showHeaderWhenEmpty
        configuration.topContentInset = topContentInset
        configuration.stickyHeaderOffset = stickyHeaderOffset
        configuration.workingRange = workingRange
        configuration.nearEndDistance = nearEndDistance
        configuration.updater = updater
        configuration.reloadThreshold = reloadThreshold
        configuration.sectionMovesAsDeletesInserts = sectionMovesAsDeletesInserts
        configuration.preferItemReloads = preferItemReloads
        configuration.minimalMoves = minimalMoves
        configuration.coalescing = ListAdapter.Coalescing(
            minimum: UInt64(coalesceMinimum), maximum: UInt64(coalesceMaximum), increment: UInt64(coalesceIncrement),
            usesMaximumWhenNotVisible: true)
        configuration.emptyContent = empty
        return configuration
    }
}
