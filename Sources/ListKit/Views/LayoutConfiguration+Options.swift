// SPDX-License-Identifier: Apache-2.0

extension LayoutConfiguration {
    /// Makes the configuration of a view's layout from the options of the list and the view.
    init(_ options: ListOptions, _ view: ListViewOptions) {
        self.init(
            direction: options.direction, stickyHeaders: options.stickyHeaders,
            topContentInset: options.topContentInset,
            stickyHeaderOffset: options.stickyHeaderOffset, stretchToEdge: options.stretchToEdge,
            showHeaderWhenEmpty: options.showHeaderWhenEmpty, contentInset: view.contentInset, scale: view.scale)
    }
}
