// SPDX-License-Identifier: Apache-2.0

// Glibc's `__environ` is imported as a variable that is not concurrency-safe; no thread changes it.
@unsafe @preconcurrency internal import Glibc

/// The environment variables (environ(7)) and the executable of this process.
package enum Environment {
    /// All environment variables by name.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        // No variable is set after the first thread was started, so the texts stay valid.
        guard var entry = unsafe __environ else { return variables }
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }

    /// Returns the value of an environment variable; nil if it is not set.
    package static func value(of name: String) -> String? {
        // No variable is set after the first thread was started, so the text stays valid.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }

    /// The absolute path of the running executable.
    package static var executable: String {
        let link = "/proc/self/exe"
        // realpath allocates the result, which is copied and then freed here.
        guard let path = unsafe realpath(link, nil) else { return link }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
