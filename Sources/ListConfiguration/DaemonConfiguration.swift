// SPDX-License-Identifier: Apache-2.0

/// The section `[Daemon]` of `listd.conf`.
package struct DaemonConfiguration: Sendable, Equatable {
    /// Who may create adapters; nil = administrators on the system bus, otherwise anybody.
    package var creators: Creators?

    /// Makes the settings without the section.
    package init() {}

    /// The keys of the section.
    package static let table = OptionTable<DaemonConfiguration>([.init("creators", \.creators, .creators)])
}
