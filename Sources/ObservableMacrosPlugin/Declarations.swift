// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax

    // The members of a class, as its syntax says them.

    /// The wrappers of ObservableSwift, and the mark that leaves a property out.
    enum Wrappers {
        static let notCoded: Set = [
            "ObservedWeak", "Computed", "Lazy", "Eager", "ComputedProperty",
        ]
        static let known = notCoded.union([
            "Observed", "ObservedAs", "ObservedAtomic", "NotObserved",
        ])
    }

    extension VariableDeclSyntax {
        /// Whether each object has a place for it: neither of the type, nor computed, nor an override.
        var isStoredInInstances: Bool {
            !modifiers.has(.static) && !modifiers.has(.class) && !modifiers.has(.override)
                && bindings.allSatisfy { !$0.isComputed }
        }

        /// The last part of each attribute's name.
        var attributeNames: [String] { namedAttributes.map(\.name) }

        private var namedAttributes: [(syntax: AttributeSyntax, name: String)] {
            attributes.compactMap { attribute in
                guard let syntax = attribute.as(AttributeSyntax.self) else { return nil }
                let type = syntax.attributeName
                let name =
                    type.as(IdentifierTypeSyntax.self)?.name ?? type.as(MemberTypeSyntax.self)?.name
                return name.map { (syntax, $0.text) }
            }
        }

        var saysHowItIsObserved: Bool { attributeNames.contains(where: Wrappers.known.contains) }

        /// The first attribute that may be a wrapper: those of the language are written small.
        var attributeInDoubt: AttributeSyntax? {
            namedAttributes.first { $0.name.first!.isUppercase && $0.name != "MainActor" }?.syntax
        }

        /// Those that a tuple holds as well.
        var names: [String] {
            bindings.flatMap { binding in
                binding.pattern.tokens(viewMode: .sourceAccurate).compactMap { token in
                    if case .identifier = token.tokenKind { return token.text }
                    return nil
                }
            }
        }
    }

    extension PatternBindingSyntax {
        /// Whether it has accessors other than `willSet` and `didSet`.
        fileprivate var isComputed: Bool {
            switch accessorBlock?.accessors {
            case nil: false
            case .getter: true
            case .accessors(let accessors):
                accessors.contains {
                    ![.keyword(.willSet), .keyword(.didSet)].contains(
                        $0.accessorSpecifier.tokenKind)
                }
            }
        }
    }

    extension DeclModifierListSyntax {
        func has(_ keyword: Keyword) -> Bool { modifier(keyword) != nil }

        func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
            first { $0.name.tokenKind == .keyword(keyword) }
        }

        /// What a witness of a public protocol must be, with the space behind it.
        var access: String? {
            if has(.open) || has(.public) { return "public " }
            return has(.package) ? "package " : nil
        }
    }

    extension DeclGroupSyntax {
        func declares(_ kind: (some DeclSyntaxProtocol).Type) -> Bool {
            memberBlock.members.contains { $0.decl.is(kind) }
        }

        /// The first `#if` that has a `deinit` in one of its branches.
        var conditionalDeinit: IfConfigDeclSyntax? {
            memberBlock.members.lazy.compactMap { $0.decl.as(IfConfigDeclSyntax.self) }
                .first { $0.mayDeclare { $0.is(DeinitializerDeclSyntax.self) } }
        }

        func declaresType(named name: String) -> Bool {
            memberBlock.members.contains { member in
                member.decl.asProtocol((any NamedDeclSyntax).self)?.name.text == name
            }
        }
    }

    extension IfConfigDeclSyntax {
        /// Whether one of its branches stores something in each object.
        var mayDeclareProperties: Bool {
            mayDeclare { $0.as(VariableDeclSyntax.self)?.isStoredInInstances ?? false }
        }

        /// Whether one of its branches has such a member.
        func mayDeclare(_ isSuch: (DeclSyntax) -> Bool) -> Bool {
            clauses.contains { clause in
                guard case .decls(let members) = clause.elements else { return false }
                return members.contains { member in
                    isSuch(member.decl)
                        || member.decl.as(IfConfigDeclSyntax.self)?.mayDeclare(isSuch) ?? false
                }
            }
        }
    }
#endif
