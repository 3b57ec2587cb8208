// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

/// A visitor that collects the declarations of a file, and the types that the file names.
final class Collector: SyntaxVisitor {
    private struct Scope {
        let path: [String]
        let isFileBound: Bool
        let genericParameters: Set<String>
        /// The index of the type in `file.types`; nil for an extension.
        let type: Int?
    }

    private(set) var file: SourceFile
    private let lines: SourceLocationConverter
    private var scopes: [Scope] = []
    /// The generic parameters of the enclosing functions.
    private var genericParameters: [Set<String>] = []
    /// The number of enclosing bodies of functions, accessors and closures.
    private var bodies = 0

    static func read(_ text: String, path: String, module: String, folder: String) -> SourceFile {
        let tree = Parser.parse(source: text)
        let collector = Collector(
            SourceFile(path: path, module: module, folder: folder),
            lines: SourceLocationConverter(fileName: path, tree: tree))
        collector.walk(tree)
        let messages = ErrorMessages(lines: collector.lines)
        messages.walk(tree)
        collector.file.unquoted = messages.unquoted
        return collector.file
    }

    private init(_ file: SourceFile, lines: SourceLocationConverter) {
        self.file = file
        self.lines = lines
        super.init(viewMode: .sourceAccurate)
    }

    private func line(of node: some SyntaxProtocol) -> Int {
        lines.location(for: node.positionAfterSkippingLeadingTrivia).line
    }

    // MARK: Declarations

    private func enterType(
        _ kind: TypeDeclaration.Kind, _ name: TokenSyntax, _ modifiers: DeclModifierListSyntax,
        _ parameters: GenericParameterClauseSyntax? = nil, _ inherited: InheritanceClauseSyntax? = nil
    ) -> SyntaxVisitorContinueKind {
        let access = Access(modifiers)
        let path = (scopes.last?.path ?? []) + [name.identifier?.name ?? name.text]
        let generics = names(of: parameters)
        let isFileBound = bodies > 0 || access.isFileBound || scopes.last?.isFileBound == true
        if bodies > 0 {
            file.localTypes.insert(path[path.count - 1])
        }
        file.types.append(
            TypeDeclaration(
                kind: kind, path: path, line: line(of: name), isFileBound: isFileBound, isPublic: access.isPublic,
                genericParameters: generics,
                inherited: inherited?.inheritedTypes.compactMap { components(of: $0.type) } ?? []))
        scopes.append(
            Scope(
                path: path, isFileBound: isFileBound, genericParameters: generics, type: file.types.count - 1))
        return .visitChildren
    }

    private func names(of clause: GenericParameterClauseSyntax?) -> Set<String> {
        Set(clause?.parameters.map(\.name.text) ?? [])
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.class, node.name, node.modifiers, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.actor, node.name, node.modifiers, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.struct, node.name, node.modifiers, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.enum, node.name, node.modifiers, node.genericParameterClause, node.inheritanceClause)
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.protocol, node.name, node.modifiers, nil, node.inheritanceClause)
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.typealias, node.name, node.modifiers, node.genericParameterClause)
    }

    override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
        enterType(.associatedtype, node.name, node.modifiers)
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let path = components(of: node.extendedType) ?? [node.extendedType.trimmedDescription]
        file.extensions.append(
            ExtensionDeclaration(
                path: path,
                inherited: node.inheritanceClause?.inheritedTypes.compactMap { components(of: $0.type) } ?? []))
        scopes.append(
            Scope(path: path, isFileBound: Access(node.modifiers).isFileBound, genericParameters: [], type: nil))
        return .visitChildren
    }

    override func visitPost(_ node: ClassDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ActorDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: StructDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: EnumDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ProtocolDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: TypeAliasDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: AssociatedTypeDeclSyntax) { scopes.removeLast() }
    override func visitPost(_ node: ExtensionDeclSyntax) { scopes.removeLast() }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        file.imports.insert(node.path.first?.name.text ?? "")
        return .skipChildren
    }

    // MARK: Stored properties

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if let type = scopes.last?.type, isMember(node) {
            let access = Access(node.modifiers)
            for binding in node.bindings where binding.isStored {
                for name in Collector.names(in: binding.pattern) {
                    file.types[type].properties.append(
                        StoredProperty(
                            name: name.text, line: line(of: name),
                            isVariable: node.bindingSpecifier.tokenKind == .keyword(.var),
                            isStatic: access.isStatic, isSetInFileOnly: access.isFileBound || access.isSetInFileOnly,
                            isPublic: access.isPublic && !access.limitsSetter,
                            typeNames: binding.typeAnnotation.map { StoredTypes.names(in: Syntax($0.type)) }
                                ?? binding.initializer.map { StoredTypes.names(in: Syntax($0.value)) } ?? [],
                            isBare: binding.typeAnnotation.map { components(of: $0.type) != nil && !$0.type.isGeneric }
                                ?? true))
                }
            }
        }
        return .visitChildren
    }

    /// Whether a declaration is a member of a type. An `#if` around it makes no difference.
    private func isMember(_ node: VariableDeclSyntax) -> Bool {
        var parent = node.parent
        while let next = parent, !next.is(MemberBlockSyntax.self) {
            if !next.is(MemberBlockItemSyntax.self), !next.is(MemberBlockItemListSyntax.self),
                !next.is(IfConfigClauseSyntax.self), !next.is(IfConfigClauseListSyntax.self),
                !next.is(IfConfigDeclSyntax.self)
            {
                return false
            }
            parent = next.parent
        }
        return parent != nil
    }

    private static func names(in pattern: PatternSyntax) -> [TokenSyntax] {
        if let name = pattern.as(IdentifierPatternSyntax.self) {
            return [name.identifier]
        }
        return pattern.as(TuplePatternSyntax.self)?.elements.flatMap { names(in: $0.pattern) } ?? []
    }

    // MARK: Bodies and their generic parameters

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { enterBody() }
    override func visitPost(_ node: CodeBlockSyntax) { leaveBody() }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { enterBody() }
    override func visitPost(_ node: ClosureExprSyntax) { leaveBody() }
    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { enterBody() }
    override func visitPost(_ node: AccessorBlockSyntax) { leaveBody() }

    private func enterBody() -> SyntaxVisitorContinueKind {
        bodies += 1
        return .visitChildren
    }

    private func leaveBody() {
        bodies -= 1
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        enterGeneric(node.genericParameterClause)
    }
    override func visitPost(_ node: FunctionDeclSyntax) { leaveGeneric() }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        enterGeneric(node.genericParameterClause)
    }
    override func visitPost(_ node: InitializerDeclSyntax) { leaveGeneric() }
    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        enterGeneric(node.genericParameterClause)
    }
    override func visitPost(_ node: SubscriptDeclSyntax) { leaveGeneric() }

    private func enterGeneric(_ clause: GenericParameterClauseSyntax?) -> SyntaxVisitorContinueKind {
        genericParameters.append(names(of: clause))
        return .visitChildren
    }

    private func leaveGeneric() {
        genericParameters.removeLast()
    }

    // MARK: Names of types

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        recordUse(of: path(from: node.name.text, at: Syntax(node)), at: node)
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id {
            recordUse(of: path(from: node.baseName.text, at: Syntax(node)), at: node)
        }
        return .visitChildren
    }

    /// Returns a name and the member types that follow it, such as `ListView` and `Slot` for
    /// `ListView.Slot<Int>.first`.
    private func path(from name: String, at node: Syntax) -> [String] {
        var components = [name]
        var node = node
        while let parent = node.parent {
            if let access = parent.as(MemberAccessExprSyntax.self), access.base?.id == node.id {
                components.append(access.declName.baseName.text)
            } else if let member = parent.as(MemberTypeSyntax.self), member.baseType.id == node.id {
                components.append(member.name.text)
            } else if parent.as(GenericSpecializationExprSyntax.self)?.expression.id != node.id {
                break
            }
            node = parent
        }
        return components
    }

    private func recordUse(of components: [String], at node: some SyntaxProtocol) {
        guard let first = components.first, first.first?.isUppercase == true, !file.localTypes.contains(first),
            !scopes.contains(where: { $0.genericParameters.contains(first) }),
            !genericParameters.contains(where: { $0.contains(first) })
        else { return }
        file.uses.append(NameUse(components: components, scope: scopes.last?.path ?? [], line: line(of: node)))
    }
}
