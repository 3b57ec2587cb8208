// SPDX-License-Identifier: Apache-2.0

/// A Swift file, with the facts that the rules need.
struct SourceFile {
    /// The path from the root of the checkout, such as `Sources/ListKit/Views/ListView.swift`.
    let path: String
    let module: String
    /// The top-level folder of the module that contains the file, such as `Views`; `.` for a file directly in the
    /// module's folder.
    let folder: String
    let lineCount: Int
    var types: [TypeDeclaration] = []
    var extensions: [ExtensionDeclaration] = []
    var uses: [NameUse] = []
    var changes: [Change] = []
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

    /// Whether the value can change, because the property is a variable, or a constant with a lock that contains the
    /// value.
    var holdsChangingValue: Bool { isVariable || typeNames.contains(["Mutex"]) }
}

/// A place that names a type, for example `ListView.Slot` in a member of `ListAdapter`.
struct NameUse {
    let components: [String]
    /// The type whose declaration or extension encloses the place.
    let scope: [String]
    let line: Int
}

/// A place that sets a variable or changes its value, for example `state.queue` in `state.queue.append(change)`.
struct Change {
    /// The kind of the first name of the path.
    enum Root {
        /// A property of the enclosing type.
        case ownProperty
        /// A local variable or an `inout` parameter, which is a copy unless it refers to an object.
        case localVariable
        /// A local constant or a parameter. As it can be changed, it refers to an object.
        case localConstant
    }

    /// The path to the variable, without subscripts and `self`.
    let chain: [String]
    /// The type whose declaration or extension encloses the place.
    let scope: [String]
    let root: Root
    let line: Int
}
