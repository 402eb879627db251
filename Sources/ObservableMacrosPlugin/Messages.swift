// SPDX-License-Identifier: Apache-2.0

#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxMacros

    // What is told of a class that cannot be observed as it stands: at the place, with the ways out.

    struct Message: DiagnosticMessage, FixItMessage {
        let name: String
        let message: String
        var severity: DiagnosticSeverity { .error }
        var diagnosticID: MessageID { MessageID(domain: "ObservableMacros", id: name) }
        var fixItID: MessageID { diagnosticID }
    }

    extension Diagnostic {
        fileprivate init(
            _ name: String, at node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []
        ) {
            self.init(
                node: Syntax(node), message: Message(name: name, message: message), fixIts: fixIts)
        }

        static func noClass(_ declaration: some DeclGroupSyntax, at node: AttributeSyntax)
            -> Diagnostic
        {
            let advice =
                declaration.is(ActorDeclSyntax.self)
                ? "an actor conforms to 'ObservableHost' and has '@Observed' at its properties"
                : "a value is observed in the property of a class that holds it"
            return Diagnostic("noClass", at: node, "'@ObservableClass' needs a class: \(advice)")
        }

        static func deinitInDoubt(_ conditional: IfConfigDeclSyntax) -> Diagnostic {
            Diagnostic(
                "deinitInDoubt", at: conditional.poundKeywordOfFirst,
                "'@ObservableClass' does not know whether there is this 'deinit': "
                    + "write the '#if' inside of it")
        }

        static func keysInDoubt(_ conditional: IfConfigDeclSyntax) -> Diagnostic {
            Diagnostic(
                "keysInDoubt", at: conditional.poundKeywordOfFirst,
                "'@ObservableClass' does not know which of these properties there are: "
                    + "declare 'CodingKeys'")
        }
    }

    extension IfConfigDeclSyntax {
        fileprivate var poundKeywordOfFirst: TokenSyntax { clauses.first!.poundKeyword }
    }

    extension VariableDeclSyntax {
        /// Why `@Observed` cannot stand at it; nil: it can.
        var objection: Diagnostic? {
            if let attribute = attributeInDoubt {
                return Diagnostic(
                    "unknownAttribute", at: attribute,
                    "'\(attribute.trimmedDescription)' may be a wrapper, which cannot be observed: "
                        + "write '@NotObserved' before it, or '@Observed' if it is none",
                    fixIts: [inserting("@NotObserved"), inserting("@Observed")])
            }
            if bindings.count > 1 || !bindings.first!.pattern.is(IdentifierPatternSyntax.self) {
                return Diagnostic(
                    "severalProperties", at: bindings,
                    "'@ObservableClass' observes properties that are declared one by one: "
                        + "give each its own 'var'")
            }
            if let lazy = modifiers.modifier(.lazy) {
                return Diagnostic(
                    "lazyProperty", at: lazy,
                    "a 'lazy' property cannot be observed: write '@NotObserved', "
                        + "or a getter with 'lazily { }'",
                    fixIts: [inserting("@NotObserved")])
            }
            if let weak = modifiers.modifier(.weak) {
                return Diagnostic(
                    "weakProperty", at: weak,
                    "a 'weak' property is observed by '@ObservedWeak': "
                        + "write that in its place, or '@NotObserved'",
                    fixIts: [replacing(weak, "@ObservedWeak"), inserting("@NotObserved")])
            }
            if let unowned = modifiers.modifier(.unowned) {
                return Diagnostic(
                    "unownedProperty", at: unowned,
                    "an 'unowned' property cannot be observed: write '@NotObserved'",
                    fixIts: [inserting("@NotObserved")])
            }
            return nil
        }

        private func inserting(_ attribute: String) -> FixIt {
            var fixed = self
            fixed.leadingTrivia = []
            fixed.attributes.insert(
                .attribute("\(raw: attribute) "), at: fixed.attributes.startIndex)
            fixed.leadingTrivia = leadingTrivia
            return FixIt(
                message: Message(name: "insert", message: "insert '\(attribute)'"),
                changes: [.replace(oldNode: Syntax(self), newNode: Syntax(fixed))])
        }

        private func replacing(_ modifier: DeclModifierSyntax, _ attribute: String) -> FixIt {
            var fixed = self
            fixed.modifiers = modifiers.filter { $0.id != modifier.id }
            fixed.leadingTrivia = []
            fixed.attributes.append(.attribute("\(raw: attribute) "))
            fixed.leadingTrivia = leadingTrivia
            return FixIt(
                message: Message(name: "replace", message: "write '\(attribute)' in its place"),
                changes: [.replace(oldNode: Syntax(self), newNode: Syntax(fixed))])
        }
    }
#endif
