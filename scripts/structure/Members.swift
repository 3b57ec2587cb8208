// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A written type as a path of names; nil for what has none, as a tuple.
func components(of type: TypeSyntax) -> [String]? {
    if let name = type.as(IdentifierTypeSyntax.self) {
        return [name.name.text]
    }
    if let member = type.as(MemberTypeSyntax.self) {
        return components(of: member.baseType).map { $0 + [member.name.text] }
    }
    return type.as(AttributedTypeSyntax.self).flatMap { components(of: $0.baseType) }
}

/// What the modifiers of a declaration say of who sees and who sets it.
struct Access {
    var isPublic = false
    var isFileBound = false
    var isSetInFileOnly = false
    /// `public private(set)`, `public internal(set)`
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
    /// Without accessors, or with observers only.
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

/// The types whose values a property holds: those in its annotation, or those that its first value calls. What a closure takes
/// and returns is not held.
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
        if found.last == ["Mutex"] {
            walk(node.arguments)
        }
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
