// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Functions that recognise in the syntax that a variable is changed, and which variable.
enum Changes {
    static let compoundAssignments: Set = [
        "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "&+=", "&-=", "&*=", "??=",
    ]
    /// The mutating methods of the standard library. The project's own structs need no list: their mutating methods
    /// are either in the file of the struct, or set its variables themselves.
    static let mutatingMethods: Set = [
        "append", "formIntersection", "formSymmetricDifference", "formUnion", "insert", "merge", "negate", "partition",
        "popFirst", "popLast", "remove", "removeAll", "removeFirst", "removeLast", "removeSubrange", "removeValue",
        "replaceSubrange", "reserveCapacity", "reverse", "shuffle", "sort", "subtract", "swapAt", "toggle", "update",
        "updateValue",
    ]

    static func isInout(_ type: TypeSyntax) -> Bool {
        type.as(AttributedTypeSyntax.self)?.specifiers.contains {
            $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
        } ?? false
    }

    /// Whether a pattern declares a variable. The nearest `var` or `let` around the pattern decides; the pattern of a
    /// loop has neither, and declares a constant.
    static func isVariable(_ pattern: Syntax) -> Bool {
        var node: Syntax? = pattern
        while let next = node {
            let specifier =
                next.as(ValueBindingPatternSyntax.self)?.bindingSpecifier ?? next.as(VariableDeclSyntax.self)?
                .bindingSpecifier
                ?? next.as(OptionalBindingConditionSyntax.self)?.bindingSpecifier
            if let specifier {
                return specifier.tokenKind == .keyword(.var)
            }
            if next.is(StmtSyntax.self) || next.is(CodeBlockItemSyntax.self) {
                return false
            }
            node = next.parent
        }
        return false
    }

    /// Returns the path of names in an expression, such as `["self", "state", "queue"]` for `self.state?.queue[0]`;
    /// nil for the result of a call.
    static func chain(to expression: ExprSyntax) -> [String]? {
        if let member = expression.as(MemberAccessExprSyntax.self), let base = member.base {
            return chain(to: base).map { $0 + [member.declName.baseName.text] }
        }
        if let optional = expression.as(OptionalChainingExprSyntax.self) { return chain(to: optional.expression) }
        if let forced = expression.as(ForceUnwrapExprSyntax.self) { return chain(to: forced.expression) }
        if let element = expression.as(SubscriptCallExprSyntax.self) { return chain(to: element.calledExpression) }
        guard let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
        return lockChain(ofParameter: name, at: Syntax(expression)) ?? [name]
    }

    /// Returns the path to the lock whose value a closure's parameter refers to, such as `state` for `$0` in
    /// `state.withLock { $0.count += 1 }`.
    private static func lockChain(ofParameter name: String, at node: Syntax) -> [String]? {
        var node = node
        while let parent = node.parent {
            if let closure = parent.as(ClosureExprSyntax.self) {
                let named: String? =
                    switch closure.signature?.parameterClause {
                    case .simpleInput(let list): list.first?.name.text
                    case .parameterClause(let clause):
                        clause.parameters.first.map { ($0.secondName ?? $0.firstName).text }
                    default: "$0"
                    }
                let call =
                    closure.parent?.as(FunctionCallExprSyntax.self)
                    ?? closure.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
                if name == named {
                    guard let method = call?.calledExpression.as(MemberAccessExprSyntax.self),
                        method.declName.baseName.text == "withLock"
                    else { return nil }
                    return method.base.flatMap { chain(to: $0) }
                }
            }
            node = parent
        }
        return nil
    }
}
