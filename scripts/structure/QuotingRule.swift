// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// The rule that an error message quotes input: a part of the input stands in it as `.quoted` (or `.shortenedPath`), which
/// cuts it at 64 characters and escapes it. The checker knows no types, so it goes by names.
struct QuotingRule {
    /// The names of values that contain input. Names such as `count` or `limit` are those of numbers.
    static let inputs: Set<String> = [
        "path", "file", "text", "source", "subject", "section", "real", "debugDescription",
    ]
    static let errors: Set<String> = ["ListError", "DBusError"]
    static let makers: Set<String> = ["invalidArgs", "failed", "refusal", "accessDenied", "limitsExceeded", "tooLarge"]
    /// The modules whose paths and texts are those of the person who started the program, and postgres, whose texts are
    /// those of the server.
    static let exempt: Set<String> = ["DBus", "ListClient", "ListStore", "PluginTestSupport", "listctl", "postgres"]

    let modules: Modules

    func findings() -> [Finding] {
        modules.files.filter { $0.isShipped && !Self.exempt.contains($0.module) }.flatMap { file in
            file.unquoted.map { part in
                Finding(
                    path: file.path, line: part.line, key: "quoting \(file.path)",
                    message:
                        "the error quotes all of `\(part.expression)`; write `.quoted`, or `.shortenedPath` for a path, "
                        + "which cut it at 64 characters and escape it")
            }
        }
    }
}

/// An interpolation in an error message that is not cut.
struct UnquotedPart {
    let expression: String
    let line: Int
}

/// A visitor that collects the interpolations of error messages.
final class ErrorMessages: SyntaxVisitor {
    private(set) var unquoted: [UnquotedPart] = []
    private let lines: SourceLocationConverter
    /// The number of enclosing calls that make an error.
    private var errors = 0

    init(lines: SourceLocationConverter) {
        self.lines = lines
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if makesError(node) { errors += 1 }
        return .visitChildren
    }

    override func visitPost(_ node: FunctionCallExprSyntax) {
        if makesError(node) { errors -= 1 }
    }

    private func makesError(_ node: FunctionCallExprSyntax) -> Bool {
        if let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text {
            return QuotingRule.errors.contains(name)
        }
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self) else { return false }
        return QuotingRule.makers.contains(member.declName.baseName.text)
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard errors > 0 else { return .visitChildren }
        // A literal that is itself quoted may contain anything.
        if let member = node.parent?.as(MemberAccessExprSyntax.self), isCut(ExprSyntax(member)) { return .skipChildren }
        var before = ""
        for segment in node.segments {
            if let text = segment.as(StringSegmentSyntax.self) {
                before = text.content.text
            } else if let part = segment.as(ExpressionSegmentSyntax.self),
                let expression = part.expressions.first?.expression
            {
                if isInput(expression) || (before.hasSuffix("“") && !isCut(expression)) {
                    let place = lines.location(for: part.positionAfterSkippingLeadingTrivia)
                    unquoted.append(UnquotedPart(expression: expression.trimmedDescription, line: place.line))
                }
                before = ""
            }
        }
        return .visitChildren
    }

    private func name(of expression: ExprSyntax) -> String? {
        if let member = expression.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
        if let call = expression.as(FunctionCallExprSyntax.self) { return name(of: call.calledExpression) }
        return expression.as(DeclReferenceExprSyntax.self)?.baseName.text
    }

    private func isInput(_ expression: ExprSyntax) -> Bool {
        name(of: expression).map(QuotingRule.inputs.contains) ?? false
    }

    private func isCut(_ expression: ExprSyntax) -> Bool {
        name(of: expression).map(["quoted", "shortenedPath", "rawValue"].contains) ?? false
    }
}
