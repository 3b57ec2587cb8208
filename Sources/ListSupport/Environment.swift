// SPDX-License-Identifier: Apache-2.0

// Its `__environ` is a variable that every thread may read.
@unsafe @preconcurrency internal import Glibc

/// What the process was started with: its variables, as they are now (environ(7)), and its program.
package enum Environment {
    /// All of them by name.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        // Nobody sets a variable after the first thread was started, so that the texts stay where they are.
        guard var entry = unsafe __environ else { return variables }
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }

    /// One of them; nil when it is not set.
    package static func value(of name: String) -> String? {
        // As above.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The absolute path of the running program.
    package static var executable: String {
        let link = "/proc/self/exe"
        // realpath allocates its answer, which is freed here after it was copied.
        guard let path = unsafe realpath(link, nil) else { return link }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
