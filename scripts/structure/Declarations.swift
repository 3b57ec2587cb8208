// SPDX-License-Identifier: Apache-2.0

/// A Swift file, and what the rules need of it.
struct SourceFile {
    /// From the root of the checkout: `Sources/ListKit/Views/ListView.swift`.
    let path: String
    let module: String
    /// The folder of the module that the file is in, without those below it: `Views`. `.` is the module's own.
    let folder: String
    let lineCount: Int
    var types: [TypeDeclaration] = []
    var extensions: [ExtensionDeclaration] = []
    var uses: [NameUse] = []
    var changes: [Change] = []
    var imports: Set<String> = []
    /// Types declared in the bodies of functions: these names mean nothing outside of the file.
    var localTypes: Set<String> = []
}

struct TypeDeclaration {
    enum Kind: String {
        case `class`, `actor`, `struct`, `enum`, `protocol`, `typealias`, `associatedtype`
    }

    let kind: Kind
    /// With the types around it: `["ListView", "Slot"]`.
    let path: [String]
    let line: Int
    /// What it, or a type around it, is declared as keeps it in its file.
    let isFileBound: Bool
    let isPublic: Bool
    let genericParameters: Set<String>
    /// What stands behind the colon, as written.
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
    /// Only its own file can set it.
    let isSetInFileOnly: Bool
    /// `public` or `open`, and set by whoever sees it.
    let isPublic: Bool
    /// The types that its annotation, or else its first value, names.
    let typeNames: [[String]]

    /// A value in it can change: a variable, or a constant that holds a lock with the value inside.
    var holdsChangingValue: Bool { isVariable || typeNames.contains(["Mutex"]) }
}

/// A place that names a type: `ListView.Slot` in a member of `ListAdapter`.
struct NameUse {
    let components: [String]
    /// The type whose declaration or extension is around it.
    let scope: [String]
    let line: Int
}

/// A place that sets a variable or changes the value in it: `state.queue` of `state.queue.append(change)`.
struct Change {
    /// Where the path begins.
    enum Root {
        /// At a property of the type around it.
        case ownProperty
        /// At a local variable or an `inout` parameter: a copy, unless it is an object.
        case localVariable
        /// At a local constant or a parameter, which is an object then.
        case localConstant
    }

    /// The path to the variable, without subscripts and `self`.
    let chain: [String]
    /// The type whose declaration or extension is around it.
    let scope: [String]
    let root: Root
    let line: Int
}
