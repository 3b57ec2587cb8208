// SPDX-License-Identifier: Apache-2.0

/// The limits of size: no class or actor has more than 12 stored properties or is in more than 4 files of its module,
/// and no file is longer than 500 lines.
struct SizeRules {
    static let mostProperties = 12, mostFiles = 4, mostLines = 500

    let modules: Modules

    func findings() -> [Finding] {
        lengthFindings() + modules.names.flatMap { typeFindings(in: $0) }
    }

    private func lengthFindings() -> [Finding] {
        modules.files.filter { $0.lineCount > Self.mostLines }.map {
            Finding(
                path: $0.path, line: Self.mostLines + 1, key: "length \($0.path)",
                message:
                    "\($0.lineCount) lines, \(Self.mostLines) are the most; make it two files, each with one concept")
        }
    }

    private func typeFindings(in module: String) -> [Finding] {
        let files = modules.files(of: module)
        return files.flatMap { file in
            file.types.filter(\.isReference).flatMap { type -> [Finding] in
                var findings: [Finding] = []
                let count = type.properties.count { !$0.isStatic }
                if count > Self.mostProperties {
                    findings.append(
                        Finding(
                            path: file.path, line: type.line, key: "properties \(module).\(type.name)",
                            message:
                                "\(type.kind) \(type.name) has \(count) stored properties, \(Self.mostProperties) are "
                                + "the most; move those that change together into a type with its own methods"))
                }
                let places = type.isFileBound ? [] : self.places(of: type.path, among: files)
                if places.count > Self.mostFiles {
                    findings.append(
                        Finding(
                            path: file.path, line: type.line, key: "files \(module).\(type.name)",
                            message:
                                "\(type.kind) \(type.name) is in \(places.count) files, \(Self.mostFiles) are the most; "
                                + "give each topic a type of its own with the state that it needs",
                            notes: [
                                places.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
                                    .joined(separator: ", ")
                            ]))
                }
                return findings
            }
        }
    }

    /// Returns the files that declare or extend a type, or extend a type that is nested in it.
    private func places(of path: [String], among files: [SourceFile]) -> [String] {
        files.filter { file in
            file.types.contains { $0.path == path } || file.extensions.contains { $0.path.starts(with: path) }
        }.map(\.path)
    }
}
