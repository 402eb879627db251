// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftSyntax
    import SwiftSyntaxMacros

    // `@ObservableClass`: what an `ObservableHost` would have written by hand. Each role is called by
    // itself; what is wrong with the whole class is told by the one that adds members.

    enum ObservableClassMacro {
        /// Whether the class conforms to a protocol.
        ///
        /// - Parameter missing: of those that the declaration of the macro names, the ones that it does
        ///   not conform to: below an observable class `ObservableHost` is not among them.
        private static func conforms(to name: String, _ missing: [TypeSyntax]) -> Bool {
            !missing.contains { $0.trimmedDescription.split(separator: ".").last! == name }
        }
    }

    // MARK: - The conformance

    extension ObservableClassMacro: ExtensionMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol,
            conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard declaration.is(ClassDeclSyntax.self), !conforms(to: "ObservableHost", protocols)
            else { return [] }
            return [
                try ExtensionDeclSyntax(
                    "extension \(type.trimmed): nonisolated ObservableSwift.ObservableHost {}")
            ]
        }
    }

    // MARK: - Header, end and coding keys

    extension ObservableClassMacro: MemberMacro {
        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard let observed = declaration.as(ClassDeclSyntax.self) else {
                context.diagnose(.noClass(declaration, at: node))
                return []
            }
            var added: [DeclSyntax] = []
            if !conforms(to: "ObservableHost", protocols) {
                added.append(header(of: observed, in: context))
                if let conditional = declaration.conditionalDeinit {
                    context.diagnose(.deinitInDoubt(conditional))
                } else if !declaration.declares(DeinitializerDeclSyntax.self) {
                    added.append("deinit {\n    _endObservation()\n}")
                }
            }
            if conforms(to: "Encodable", protocols) || conforms(to: "Decodable", protocols),
                !declaration.declaresType(named: "CodingKeys")
            {
                added.append(codingKeys(of: declaration, in: context))
            }
            return added
        }

        private static func header(
            of observed: ClassDeclSyntax, in context: some MacroExpansionContext
        ) -> DeclSyntax {
            // Members of an extension that is public are so by themselves.
            let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
            let access = observed.modifiers.access ?? enclosing?.access ?? ""
            return "\(raw: access)nonisolated let observation = ObservableSwift.ObservationHeader()"
        }

        /// The stored properties, as the compiler would name them if there were no header; without
        /// those whose wrappers are not coded.
        private static func codingKeys(
            of declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
        ) -> DeclSyntax {
            var keys: [String] = []
            for member in declaration.memberBlock.members {
                if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                    if conditional.mayDeclareProperties {
                        context.diagnose(.keysInDoubt(conditional))
                    }
                } else if let variable = member.decl.as(VariableDeclSyntax.self),
                    variable.isStoredInInstances, !variable.modifiers.has(.lazy),
                    !variable.modifiers.has(.weak),
                    !variable.attributeNames.contains(where: Wrappers.notCoded.contains)
                {
                    keys += variable.names
                }
            }
            let cases = keys.isEmpty ? "" : "\n    case \(keys.joined(separator: ", "))\n"
            return "private enum CodingKeys: CodingKey {\(raw: cases)}"
        }
    }

    // MARK: - A wrapper for each property

    extension ObservableClassMacro: MemberAttributeMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingAttributesFor member: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [AttributeSyntax] {
            guard declaration.is(ClassDeclSyntax.self) else { return [] }
            if member.is(DeinitializerDeclSyntax.self) {
                return ["@ObservableMacros._EndingObservation"]
            }
            guard let variable = member.as(VariableDeclSyntax.self),
                variable.bindingSpecifier.tokenKind == .keyword(.var),
                variable.isStoredInInstances, !variable.saysHowItIsObserved
            else { return [] }
            if let objection = variable.objection {
                context.diagnose(objection)
                return []
            }
            return ["@ObservableSwift.Observed"]
        }
    }

    // MARK: - The other annotations

    /// `@NotObserved`: only a mark.
    enum NotObservedMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] { [] }
    }

    /// At a `deinit` of the program's: the end for observers comes behind its code.
    enum EndingObservationMacro: BodyMacro {
        static func expansion(
            of node: AttributeSyntax,
            providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
            in context: some MacroExpansionContext
        ) throws -> [CodeBlockItemSyntax] {
            ["defer {\n    _endObservation()\n}"] + Array(declaration.body?.statements ?? [])
        }
    }
#endif
