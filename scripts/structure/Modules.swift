// SPDX-License-Identifier: Apache-2.0

/// A type, and the file that declares it.
struct DeclaredType {
    let file: Int
    let type: Int
}

/// The files of all modules, and which type a name stands for. Names are resolved as the compiler does it, as far as that can
/// be had without inferring a type: from the innermost scope outwards, then in the module, then in those imported. A name
/// that stands for several types (as in two branches of an `#if`) stands for none.
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

    func files(of module: String) -> [SourceFile] { files.filter { $0.module == module } }

    func declaration(_ type: DeclaredType) -> TypeDeclaration { files[type.file].types[type.type] }

    /// The types that a path of names goes through, the outermost first; empty where none of them is declared in the module.
    func resolve(_ components: [String], scope: [String], in module: String, from file: Int) -> [DeclaredType] {
        var components = components
        if components.count > 1, components[0] == module {
            components.removeFirst()
        }
        for depth in stride(from: scope.count, through: 0, by: -1) {
            let around = scope.prefix(depth)
            if isGenericParameter(components[0], of: around, in: module) {
                return []
            }
            for place in [Array(around)] + inherited(around, in: module, from: file) {
                let found = (1...components.count).compactMap {
                    lookup(place + components.prefix($0), in: module, from: file)
                }
                if !found.isEmpty {
                    return found
                }
            }
        }
        return []
    }

    /// As `resolve`, and in the modules that the file imports. Only the innermost type of the path.
    func resolveAnywhere(_ components: [String], scope: [String], from file: Int) -> DeclaredType? {
        let own = files[file].module
        if let found = resolve(components, scope: scope, in: own, from: file).last {
            return found
        }
        for module in files[file].imports.sorted() where declared[module] != nil {
            if let found = resolve(components, scope: [], in: module, from: file).last {
                return found
            }
        }
        return nil
    }

    private func lookup(_ path: some Collection<String>, in module: String, from file: Int) -> DeclaredType? {
        guard let all = declared[module]?[path.joined(separator: ".")] else { return nil }
        if let own = all.first(where: { $0.file == file }) {
            return own
        }
        let visible = all.filter { !declaration($0).isFileBound }
        return visible.count == 1 ? visible[0] : nil
    }

    /// The superclass and the protocols of a type, whose nested types it may name.
    private func inherited(_ path: some Collection<String>, in module: String, from file: Int) -> [[String]] {
        guard !path.isEmpty, let type = lookup(path, in: module, from: file) else { return [] }
        return declaration(type).inherited
    }

    private func isGenericParameter(_ name: String, of path: some Collection<String>, in module: String) -> Bool {
        declared[module]?[path.joined(separator: ".")]?.contains {
            declaration($0).genericParameters.contains(name)
        } ?? false
    }
}
