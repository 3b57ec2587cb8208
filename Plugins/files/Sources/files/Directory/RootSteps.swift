// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The name lookups by which the kernel resolves the path of the listed directory, through symbolic links too.
/// While none of these lookups changes, the path leads to the same directory.
struct RootSteps: Equatable {
    /// The lookup of a name in a directory.
    struct Step: Equatable {
        var directory: String
        var name: EntryPath
    }

    /// The maximum number of symbolic links that the kernel follows.
    private static let maximumLinks = 40
    /// The maximum number of lookups; a longer path is watched only in part.
    private static let maximumSteps = 256

    /// The lookups from the root of the file system on. If a name does not exist, its lookup is the last one.
    private(set) var steps: [Step] = []

    /// Resolves an absolute path.
    init(of path: String) {
        var left = Self.names(of: path)
        var directory = "/"
        var links = 0
        while let name = left.popLast(), steps.count < Self.maximumSteps {
            if name == ".." {
                directory = Self.parent(of: directory)
                continue
            }
            steps.append(Step(directory: directory, name: EntryPath(name)))
            let place = directory == "/" ? "/" + name : directory + "/" + name
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            // The buffer has the passed length.
            let count = unsafe readlink(place, &buffer, buffer.count)
            if count < 0 {
                guard errno == EINVAL else { return }
                directory = place
                continue
            }
            links += 1
            guard links <= Self.maximumLinks else { return }
            let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            left += Self.names(of: target)
            if target.hasPrefix("/") { directory = "/" }
        }
    }

    /// Returns the names of a path in reverse order, so that the first one can be popped from the end.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
