// SPDX-License-Identifier: Apache-2.0

/// The version of this build.
package enum Version {
    /// The version of listd, as `--version` prints it and `Manager.Version` returns it.
    package static let text = "0.1.0"
}
