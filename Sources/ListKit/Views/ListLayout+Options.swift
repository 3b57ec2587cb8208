// SPDX-License-Identifier: Apache-2.0

extension ListLayout {
    /// The layout of a view, which knows no list yet: the table of the kinds of layouts.
    init(_ kind: ListLayoutKind, _ options: ListOptions, _ view: ListViewOptions) {
        switch kind {
        case .none: self.init(.none)
        case .absolute: self.init(.absolute(options.direction))
        case .flow:
            self.init(
                .flow(
                    FlowConfiguration(
                        direction: options.direction, stickyHeaders: options.stickyHeaders,
                        topContentInset: options.topContentInset, stickyHeaderOffset: options.stickyHeaderOffset,
                        stretchToEdge: options.stretchToEdge, showHeaderWhenEmpty: options.showHeaderWhenEmpty,
                        contentInset: view.contentInset, scale: view.scale)))
        }
    }
}
