// SPDX-License-Identifier: Apache-2.0

/// The state of the flow between two items, on which all later places depend.
///
/// Coordinates along the scroll axis are relative to an origin that the owner of the state keeps.
struct FlowState: Sendable, Hashable {
    /// The start of the open row.
    var row: Units = 0
    /// The filled length of the open row, with the spacing after its last item.
    var column: Units = 0
    /// The start of the next row.
    var nextRow: Units = 0
    /// The far edge of the section before, where an empty section lies.
    var edge: Units = 0

    /// Limits the distance of a state from its origin; no valid list comes near it.
    private static let limit: Units = 1 << 60

    /// The distance to the next origin, in whole pixels so that rounding is the same on both sides of it.
    func advance(_ scale: LayoutScale) -> Units {
        max(0, scale.floor(nextRow))
    }

    /// The state relative to an origin further along.
    func rebased(by distance: Units) -> FlowState {
        func near(_ value: Units) -> Units { min(max(value - distance, -Self.limit), Self.limit) }
        return FlowState(
            row: near(row), column: column, nextRow: near(nextRow), edge: near(edge))
    }
}
