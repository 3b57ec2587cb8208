// SPDX-License-Identifier: Apache-2.0

/// The insets, spacings, and lengths of header and footer of a section, in terms of the scroll axis and in units.
struct SectionStyle: Sendable, Hashable {
    /// The inset before the section along the scroll axis.
    let leading: Units
    /// The inset after the section along the scroll axis.
    let trailing: Units
    /// The inset at the start of a row.
    let rowStart: Units
    /// The inset at the end of a row.
    let rowEnd: Units
    let lineSpacing: Units
    let interitemSpacing: Units
    let header: Units
    let footer: Units

    init(_ metrics: SectionMetrics, rules: FlowRules) {
        let scale = rules.scale
        let inset = metrics.inset
        let vertical = rules.direction == .vertical
        leading = scale.units(vertical ? inset.top : inset.left)
        trailing = scale.units(vertical ? inset.bottom : inset.right)
        rowStart = scale.units(vertical ? inset.left : inset.top)
        rowEnd = scale.units(vertical ? inset.right : inset.bottom)
        lineSpacing = scale.units(metrics.lineSpacing)
        interitemSpacing = scale.units(metrics.interitemSpacing)
        header = scale.length(metrics.headerLength)
        footer = scale.length(metrics.footerLength)
    }
}
