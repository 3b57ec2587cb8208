// SPDX-License-Identifier: Apache-2.0

/// The rule that state is set in one file: no other file can set a stored variable of a class or actor. A `public`
/// variable of a `public` type is interface and may be set.
struct StateRule {
    let modules: Modules

    func findings() -> [Finding] {
        modules.files.filter(\.isShipped).flatMap { file in
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

    private func isSettableInOtherFiles(_ property: StoredProperty, of type: TypeDeclaration) -> Bool {
        property.isVariable && !property.isSetInFileOnly && !(type.isPublic && property.isPublic)
    }
}
