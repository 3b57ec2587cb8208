// SPDX-License-Identifier: Apache-2.0

/// The rule that state is set in one file. No other file can set a stored variable of a class or actor, and no other
/// file sets a variable of a struct that a class or actor stores. A `public` variable of a `public` type is interface
/// and may be set.
struct StateRule {
    let modules: Modules

    func findings() -> [Finding] {
        ownStateFindings() + storedStructFindings()
    }

    private func ownStateFindings() -> [Finding] {
        modules.files.flatMap { file in
            file.types.filter { $0.isReference && !$0.isFileBound }.flatMap { type in
                type.properties.filter { isSettableInOtherFiles($0, of: type) }.map { property in
                    Finding(
                        path: file.path, line: property.line, key: "state \(file.module).\(type.name).\(property.name)",
                        message: "other files can set \(type.name).\(property.name); make it private or private(set), "
                            + "and put what sets it into this file")
                }
            }
        }
    }

    /// Returns the findings about structs that a class or actor stores.
    ///
    /// Such a struct is part of the state of the class: only the struct's own file may change its variables, in
    /// mutating methods. A copy of the struct is not state, and may be changed anywhere.
    private func storedStructFindings() -> [Finding] {
        let (stored, holders) = storedFields()
        var setAt: [String: (field: StoredField, places: [String])] = [:]
        for (index, file) in modules.files.enumerated() {
            for change in file.changes {
                let named = (stored[change.chain[change.chain.count - 1]] ?? []).filter { $0.structPath != file.path }
                for field in fields(of: change, in: index, among: named, holders: holders) {
                    let place = "\(file.path):\(change.line)"
                    if setAt[field.key]?.places.contains(place) != true {
                        setAt[field.key, default: (field, [])].places.append(place)
                    }
                }
            }
        }
        return setAt.map { key, found in
            Finding(
                path: found.field.structPath, line: found.field.line, key: key,
                message: "\(found.field.name), which is state of \(found.field.holder), is set in other files; "
                    + "make it private(set) and give the struct a mutating method, or declare the struct where it is stored",
                notes: [
                    "set at " + found.places.prefix(4).joined(separator: ", ")
                        + (found.places.count > 4 ? " and \(found.places.count - 4) more" : "")
                ])
        }
    }

    /// A variable of a struct that a class, an actor, or another such struct stores.
    private struct StoredField {
        let module: String, structPath: String, type: [String], name: String, line: Int
        /// The type that stores the struct, its module, and the property that contains the struct.
        let holder: String, holderModule: String, property: String

        var key: String { "state \(module).\(name)" }
    }

    /// Returns the variables of stored structs by name, and the types whose properties are state: classes, actors,
    /// and the structs that they store.
    private func storedFields() -> (fields: [String: [StoredField]], holders: Set<String>) {
        var fields: [String: [StoredField]] = [:], seen: Set<String> = [], names: Set<String> = []
        var holders = modules.files.enumerated().flatMap { index, file in
            file.types.filter(\.isReference).map { (file: index, type: $0) }
        }
        while let holder = holders.popLast() {
            let module = modules.files[holder.file].module
            names.insert("\(module).\(holder.type.name)")
            for property in holder.type.properties where property.holdsChangingValue && !property.isStatic {
                for name in property.typeNames {
                    guard let found = modules.resolveAnywhere(name, scope: holder.type.path, from: holder.file) else {
                        continue
                    }
                    let type = modules.declaration(found), file = modules.files[found.file]
                    guard type.kind == .struct,
                        seen.insert("\(module).\(holder.type.name).\(property.name) \(file.module).\(type.name)")
                            .inserted
                    else { continue }
                    holders.append((file: found.file, type: type))
                    for field in type.properties
                    where isSettableInOtherFiles(field, of: type) && !field.isStatic && !type.isFileBound {
                        fields[field.name, default: []].append(
                            StoredField(
                                module: file.module, structPath: file.path, type: type.path,
                                name: "\(type.name).\(field.name)", line: field.line, holder: holder.type.name,
                                holderModule: module, property: property.name))
                    }
                }
            }
        }
        return (fields, names)
    }

    /// Returns the variable that a change sets, or no variable if it cannot be determined.
    ///
    /// - Parameter fields: the variables of stored structs that have the last name of the change's path.
    ///
    /// If stored properties lead from the enclosing type along the path, the variable is the one that the path leads
    /// to. Otherwise the property that stores the struct must have the last but one name of the path, and only one of
    /// `fields` may have such a property.
    private func fields(
        of change: Change, in fileIndex: Int, among fields: [StoredField], holders: Set<String>
    ) -> [StoredField] {
        guard !fields.isEmpty, change.root != .localVariable else { return [] }
        if change.root == .ownProperty, let scope = modules.resolveAnywhere(change.scope, scope: [], from: fileIndex) {
            guard holders.contains("\(modules.files[scope.file].module).\(modules.declaration(scope).name)") else {
                return []
            }
        }
        if change.root == .ownProperty, let type = typeReached(by: change, in: fileIndex) {
            let path = modules.files[type.file].path, name = modules.declaration(type).path
            return Array(fields.filter { $0.structPath == path && $0.type == name }.prefix(1))
        }
        guard change.chain.count > 2 else { return [] }
        let own = modules.files[fileIndex]
        let behind = fields.filter {
            change.chain[change.chain.count - 2] == $0.property
                && (own.module == $0.holderModule || own.imports.contains($0.holderModule))
        }
        return Set(behind.map(\.key)).count == 1 ? Array(behind.prefix(1)) : []
    }

    private func typeReached(by change: Change, in fileIndex: Int) -> DeclaredType? {
        guard var type = modules.resolveAnywhere(change.scope, scope: [], from: fileIndex) else { return nil }
        for name in change.chain.dropLast() {
            let declaration = modules.declaration(type)
            guard let property = declaration.properties.first(where: { $0.name == name }),
                let next = property.typeNames.reversed().lazy.compactMap({
                    modules.resolveAnywhere($0, scope: declaration.path, from: type.file)
                }).first
            else { return nil }
            type = next
        }
        return type
    }

    private func isSettableInOtherFiles(_ property: StoredProperty, of type: TypeDeclaration) -> Bool {
        property.isVariable && !property.isSetInFileOnly && !(type.isPublic && property.isPublic)
    }
}
