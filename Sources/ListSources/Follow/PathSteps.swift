// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The names that a path leads through now, links followed as the kernel does: as long as none of them changes where it is
/// looked up, the path leads to the same thing.
struct PathSteps: Equatable {
    /// A name, and the directory in which it is looked up, which has no link on its own way.
    struct Step: Equatable {
        var directory: String
        var name: String
    }

    /// As many links as the kernel follows.
    private static let mostLinks = 40
    /// Longer paths are not watched.
    private static let mostSteps = 256

    /// The steps from the root on, the last one that of what is missing, if something is.
    private(set) var steps: [Step] = []
    /// Whether the path continues where nobody may look.
    private(set) var isCut = false

    /// Resolves an absolute path, component by component.
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
                isCut = true
                return
            }
            steps.append(Step(directory: directory, name: name))
            let place = directory == "/" ? "/" + name : directory + "/" + name
            switch Self.look(at: place) {
            case .nothing: return
            case .hidden:
                isCut = true
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

    /// The last one first.
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

    private static func look(at path: String) -> Found {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The buffer has the length that is passed.
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
