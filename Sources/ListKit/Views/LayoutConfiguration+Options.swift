// SPDX-License-Identifier: Apache-2.0

extension LayoutConfiguration {
    /// Makes the configuration of a view's layout from the options of the list and the view.
    init(_ options: ListOptions, _ view: ListViewOptions) {
        self = options.layoutConfiguration
        (contentInset, scale) = (view.contentInset, view.scale)
    }
}
