// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Returns the path of names of a type; nil for a type without a name, such as a tuple.
func components(of type: TypeSyntax) -> [String]? {
    if let name = type.as(IdentifierTypeSyntax.self) {
        return [name.name.text]
    }
    if let member = type.as(MemberTypeSyntax.self) {
        return components(of: member.baseType).map { $0 + [member.name.text] }
    }
    return type.as(AttributedTypeSyntax.self).flatMap { components(of: $0.baseType) }
}

extension TypeSyntax {
    /// Whether the type has generic arguments.
    var isGeneric: Bool {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause != nil
            || self.as(MemberTypeSyntax.self)?.genericArgumentClause != nil
    }
}

/// The access levels of a declaration and of its setter, by its modifiers.
struct Access {
    var isPublic = false
    var isFileBound = false
    var isSetInFileOnly = false
    /// Whether the setter has a narrower access level, as in `public private(set)` and `public internal(set)`.
    var limitsSetter = false
    var isStatic = false

    init(_ modifiers: DeclModifierListSyntax) {
        for modifier in modifiers {
            let isSetter = modifier.detail?.detail.text == "set"
            switch modifier.name.tokenKind {
            case .keyword(.private), .keyword(.fileprivate):
                isSetInFileOnly = isSetInFileOnly || isSetter
                limitsSetter = limitsSetter || isSetter
                isFileBound = isFileBound || !isSetter
            case .keyword(.internal), .keyword(.package): limitsSetter = limitsSetter || isSetter
            case .keyword(.public), .keyword(.open): isPublic = isPublic || !isSetter
            case .keyword(.static), .keyword(.class): isStatic = true
            default: break
            }
        }
    }
}

extension PatternBindingSyntax {
    /// Whether the property is stored, that is, has no accessors, or observers only.
    var isStored: Bool {
        guard let accessorBlock else { return true }
        switch accessorBlock.accessors {
        case .getter: return false
        case .accessors(let accessors):
            return accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        @unknown default: return false
        }
    }
}

/// A visitor that collects the types whose values a property stores: the types in its annotation, or those whose
/// initializers its initial value calls. The parameters and results of closures are not stored.
final class StoredTypes: SyntaxVisitor {
    private var found: [[String]] = []

    static func names(in node: Syntax) -> [[String]] {
        let visitor = StoredTypes(viewMode: .sourceAccurate)
        visitor.walk(node)
        return visitor.found
    }

    override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        walk(node.calledExpression)
        return .skipChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        found.append(contentsOf: components(of: TypeSyntax(node)).map { [$0] } ?? [])
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if !(node.parent?.is(MemberTypeSyntax.self) ?? false) {
            found.append([node.name.text])
        }
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        var path = [node.declName.baseName.text]
        var base = node.base
        while let member = base?.as(MemberAccessExprSyntax.self) {
            path.insert(member.declName.baseName.text, at: 0)
            base = member.base
        }
        if let name = base?.as(DeclReferenceExprSyntax.self) {
            found.append([name.baseName.text] + path)
            return .skipChildren
        }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        found.append([node.baseName.text])
        return .skipChildren
    }
}
