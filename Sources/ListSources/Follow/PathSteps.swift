// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The directory entries through which a path is resolved at present, including symbolic links. As long as none of
/// these entries changes, the path leads to the same file.
struct PathSteps: Equatable {
    /// A name, and the directory in which it is looked up, as a path without symbolic links.
    struct Step: Equatable {
        var directory: String
        var name: String
    }

    /// The maximum number of symbolic links, as in the kernel.
    private static let mostLinks = 40
    /// The maximum number of steps. Longer paths are not watched.
    private static let mostSteps = 256

    /// The steps from the root on. If an entry is missing, it is the last step.
    private(set) var steps: [Step] = []
    /// Whether the path continues where this process cannot look it up.
    private(set) var isIncomplete = false

    /// Resolves an absolute path component by component.
    init(of path: String) {
        var left = Self.names(of: path)
        var directory = "/"
        var links = 0
        while let name = left.popLast() {
            if name == ".." {
                directory = Self.parent(of: directory)
                continue
            }
            guard steps.count < Self.mostSteps else {
                isIncomplete = true
                return
            }
            steps.append(Step(directory: directory, name: name))
            let place = directory == "/" ? "/" + name : directory + "/" + name
            switch Self.entry(at: place) {
            case .nothing: return
            case .hidden:
                isIncomplete = true
                return
            case .other: directory = place
            case .link(let target):
                links += 1
                guard links <= Self.mostLinks else { return }
                left += Self.names(of: target)
                if target.hasPrefix("/") { directory = "/" }
            }
        }
    }

    /// Splits a path into names, with the last name first.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private enum Found {
        case link(String)
        case other
        case nothing
        case hidden
    }

    private static func entry(at path: String) -> Found {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The buffer has the given length.
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count >= 0 else {
            switch errno {
            case EINVAL: return .other
            case ENOENT, ENOTDIR: return .nothing
            default: return .hidden
            }
        }
        let target = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        return String(validating: target, as: UTF8.self).map { .link($0) } ?? .hidden
    }
}
