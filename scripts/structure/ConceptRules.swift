// SPDX-License-Identifier: Apache-2.0

/// The rules about types that hide no decision: a protocol with one conformer, and a type that only holds another type of
/// its module. What is `public` is interface for others, and may be either.
struct ConceptRules {
    let modules: Modules

    func findings() -> [Finding] { protocolFindings() + wrapperFindings() }

    /// Returns a finding for each protocol that one type conforms to. Types of tests count as conformers.
    private func protocolFindings() -> [Finding] {
        var conformers: [String: Set<String>] = [:]
        for (index, file) in modules.files.enumerated() {
            func record(_ inherited: [[String]], of path: [String]) {
                for name in inherited {
                    let scope = Array(path.dropLast())
                    guard let found = modules.resolveAnywhere(name, scope: scope, from: index) else { continue }
                    conformers[key(of: found), default: []].insert(path.joined(separator: "."))
                }
            }
            for type in file.types { record(type.inherited, of: type.path) }
            for type in file.extensions { record(type.inherited, of: type.path) }
        }
        return shippedTypes().compactMap { file, number in
            let found = DeclaredType(file: file, type: number), type = modules.declaration(found)
            guard type.kind == .protocol, !type.isPublic, conformers[key(of: found)]?.count == 1 else { return nil }
            return Finding(
                path: modules.files[file].path, line: type.line, key: "protocol \(key(of: found))",
                message: "one type alone conforms to \(type.name); use the type, or a closure, in its place")
        }
    }

    /// Returns a finding for each type whose only stored property is another type of the module. A type of its own, such
    /// as the cases behind a struct, is no other.
    private func wrapperFindings() -> [Finding] {
        shippedTypes().compactMap { file, number in
            let found = DeclaredType(file: file, type: number), type = modules.declaration(found)
            let properties = type.properties.filter { !$0.isStatic }
            guard type.isReference || type.kind == .struct, !type.isPublic, type.inherited.isEmpty,
                properties.count == 1, properties[0].isBare, properties[0].typeNames.count == 1,
                let held = modules.resolve(
                    properties[0].typeNames[0], scope: type.path, in: modules.files[file].module, from: file
                ).last, !modules.declaration(held).path.starts(with: type.path)
            else { return nil }
            return Finding(
                path: modules.files[file].path, line: type.line, key: "wrapper \(key(of: found))",
                message: "\(type.name) only holds \(modules.declaration(held).name); "
                    + "extend that type, or hold it directly")
        }
    }

    private func shippedTypes() -> [(file: Int, number: Int)] {
        modules.files.indices.filter { modules.files[$0].isShipped }.flatMap { file in
            modules.files[file].types.indices.map { (file, $0) }
        }
    }

    private func key(of found: DeclaredType) -> String {
        "\(modules.files[found.file].module).\(modules.declaration(found).name)"
    }
}
