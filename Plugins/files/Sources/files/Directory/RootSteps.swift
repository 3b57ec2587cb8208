// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The names that the path of the listed directory leads through now, links followed as the kernel does: as long as the
/// lookup of none of them changes, the path leads to the same directory.
struct RootSteps: Equatable {
    /// A name, and the directory in which it is looked up.
    struct Step: Equatable {
        var directory: String
        var name: EntryPath
    }

    /// As many links as the kernel follows.
    private static let mostLinks = 40
    /// Longer paths are not watched.
    private static let mostSteps = 256

    /// The steps from the root of the file system on, the last one that of what is missing, if something is.
    private(set) var steps: [Step] = []

    /// Goes along an absolute path.
    init(of path: String) {
        var left = Self.names(of: path)
        var directory = "/"
        var links = 0
        while let name = left.popLast(), steps.count < Self.mostSteps {
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
            guard links <= Self.mostLinks else { return }
            let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            left += Self.names(of: target)
            if target.hasPrefix("/") { directory = "/" }
        }
    }

    /// The last one first.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
