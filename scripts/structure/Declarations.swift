// SPDX-License-Identifier: Apache-2.0

/// A Swift file, with the facts that the rules need.
struct SourceFile {
    /// The path from the root of the checkout, such as `Sources/ListKit/Views/ListView.swift`.
    let path: String
    let module: String
    /// The top-level folder of the module that contains the file, such as `Views`; `.` for a file directly in the
    /// module's folder.
    let folder: String
    /// Whether the file is part of the product, as opposed to its tests.
    var isShipped: Bool { !path.hasPrefix("Tests/") }
    var types: [TypeDeclaration] = []
    var extensions: [ExtensionDeclaration] = []
    var uses: [NameUse] = []
    var imports: Set<String> = []
    /// The types that are declared in bodies of functions. Their names are not visible outside of the file.
    var localTypes: Set<String> = []
    var unquoted: [UnquotedPart] = []
}

struct TypeDeclaration {
    enum Kind: String {
        case `class`, `actor`, `struct`, `enum`, `protocol`, `typealias`, `associatedtype`
    }

    let kind: Kind
    /// The name of the type after the names of its enclosing types, such as `["ListView", "Slot"]`.
    let path: [String]
    let line: Int
    /// Whether the access level of the type, or of an enclosing type, restricts it to its file.
    let isFileBound: Bool
    let isPublic: Bool
    let genericParameters: Set<String>
    /// The superclass and protocols after the colon, as written.
    let inherited: [[String]]
    var properties: [StoredProperty] = []

    var name: String { path.joined(separator: ".") }
    var isReference: Bool { kind == .class || kind == .actor }
}

struct ExtensionDeclaration {
    let path: [String]
    /// The protocols after the colon, as written.
    let inherited: [[String]]
}

struct StoredProperty {
    let name: String
    let line: Int
    let isVariable: Bool
    let isStatic: Bool
    /// Whether only its own file can set the property.
    let isSetInFileOnly: Bool
    /// Whether the property is `public` or `open`, and its setter is too.
    let isPublic: Bool
    /// The types that the property's annotation names; without an annotation, those that its initial value names.
    let typeNames: [[String]]
    /// Whether the property is of exactly the named type: no collection, generic type or optional of it.
    let isBare: Bool
}

/// A place that names a type, for example `ListView.Slot` in a member of `ListAdapter`.
struct NameUse {
    let components: [String]
    /// The type whose declaration or extension encloses the place.
    let scope: [String]
    let line: Int
}
