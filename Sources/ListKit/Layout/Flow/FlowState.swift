// SPDX-License-Identifier: Apache-2.0

/// The state of the flow between two items. Later frames depend on the earlier items only through this state.
///
/// Coordinates along the scroll axis are relative to an origin that is stored by the owner of the state.
struct FlowState: Sendable, Hashable {
    /// The start of the open row.
    var row: Units = 0
    /// The filled length of the open row, including the spacing after its last item.
    var column: Units = 0
    /// The start of the next row.
    var nextRow: Units = 0
    /// The end of the previous section along the scroll axis, where an empty section is placed.
    var edge: Units = 0

    /// The maximum distance of a state from its origin. No valid list comes near it.
    private static let limit: Units = 1 << 60

    /// Returns the distance to the origin of the next chunk or block. The distance is a number of whole pixels, so that
    /// coordinates are rounded alike before and after the origin.
    func distanceToNextOrigin(scale: LayoutScale) -> Units {
        max(0, scale.floor(nextRow))
    }

    /// Returns the state relative to an origin that is `distance` further along the scroll axis.
    func rebased(by distance: Units) -> FlowState {
        func clamped(_ value: Units) -> Units { min(max(value - distance, -Self.limit), Self.limit) }
        return FlowState(
            row: clamped(row), column: column, nextRow: clamped(nextRow), edge: clamped(edge))
    }
}
