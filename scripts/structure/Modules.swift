// SPDX-License-Identifier: Apache-2.0

/// A type, and the file that declares it.
struct DeclaredType {
    let file: Int
    let type: Int
}

/// The files of all modules, and the resolution of names to types.
///
/// Names are resolved like in the compiler, as far as that is possible without type inference: from the innermost
/// scope outwards, then in the module, then in the imported modules. A name that several types have, for example in
/// two branches of an `#if`, is not resolved.
struct Modules {
    let files: [SourceFile]
    private var declared: [String: [String: [DeclaredType]]] = [:]

    init(_ files: [SourceFile]) {
        self.files = files
        for (index, file) in files.enumerated() {
            for (number, type) in file.types.enumerated() {
                declared[file.module, default: [:]][type.name, default: []].append(
                    DeclaredType(file: index, type: number))
            }
        }
    }

    var names: [String] { declared.keys.sorted() }

    func isShipped(_ module: String) -> Bool { files.contains { $0.module == module && $0.isShipped } }

    func declaration(_ type: DeclaredType) -> TypeDeclaration { files[type.file].types[type.type] }

    /// Returns the types along a path of names, the outermost first; empty when the module declares none of them.
    func resolve(_ components: [String], scope: [String], in module: String, from fileIndex: Int) -> [DeclaredType] {
        var components = components
        if components.count > 1, components[0] == module {
            components.removeFirst()
        }
        for depth in stride(from: scope.count, through: 0, by: -1) {
            let around = scope.prefix(depth)
            if isGenericParameter(components[0], of: around, in: module) {
                return []
            }
            for place in [Array(around)] + inheritedTypes(of: around, in: module, from: fileIndex) {
                let found = (1...components.count).compactMap {
                    lookup(place + components.prefix($0), in: module, from: fileIndex)
                }
                if !found.isEmpty {
                    return found
                }
            }
        }
        return []
    }

    /// Returns the innermost type of a path of names, which may be declared in the module or in a module that the
    /// file imports.
    func resolveAnywhere(_ components: [String], scope: [String], from fileIndex: Int) -> DeclaredType? {
        let own = files[fileIndex].module
        if let found = resolve(components, scope: scope, in: own, from: fileIndex).last {
            return found
        }
        for module in files[fileIndex].imports.sorted() where declared[module] != nil {
            if let found = resolve(components, scope: [], in: module, from: fileIndex).last {
                return found
            }
        }
        return nil
    }

    private func lookup(_ path: some Collection<String>, in module: String, from fileIndex: Int) -> DeclaredType? {
        guard let all = declared[module]?[path.joined(separator: ".")] else { return nil }
        if let own = all.first(where: { $0.file == fileIndex }) {
            return own
        }
        let visible = all.filter { !declaration($0).isFileBound }
        return visible.count == 1 ? visible[0] : nil
    }

    /// Returns the superclass and the protocols of a type, whose nested types the type can name without a prefix.
    private func inheritedTypes(of path: some Collection<String>, in module: String, from fileIndex: Int) -> [[String]]
    {
        guard !path.isEmpty, let type = lookup(path, in: module, from: fileIndex) else { return [] }
        return declaration(type).inherited
    }

    private func isGenericParameter(_ name: String, of path: some Collection<String>, in module: String) -> Bool {
        declared[module]?[path.joined(separator: ".")]?.contains {
            declaration($0).genericParameters.contains(name)
        } ?? false
    }
}
