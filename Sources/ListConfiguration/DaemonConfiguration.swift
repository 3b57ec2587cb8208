// SPDX-License-Identifier: Apache-2.0

/// The section `[Daemon]` of `listd.conf`.
package struct DaemonConfiguration: Sendable, Equatable {
    /// Who may create adapters; nil for administrators on the system bus and for everybody elsewhere.
    package var creators: Creators?

    /// Creates the settings of a file without this section.
    package init() {}

    /// The keys of the section.
    package static let table = OptionTable<DaemonConfiguration>([.init("creators", \.creators, .creators)])
}
