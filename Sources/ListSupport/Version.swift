// SPDX-License-Identifier: Apache-2.0

/// What this build calls itself.
package enum Version {
    /// The version of listd, as `--version` and `Manager.Version` say it.
    package static let text = "0.1.0"
}
