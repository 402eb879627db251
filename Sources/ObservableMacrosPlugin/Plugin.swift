// SPDX-License-Identifier: Apache-2.0

// What the compiler loads for the annotations of ObservableMacros. Without the trait there is no
// swift-syntax, so this is a program that does nothing.

#if Macros
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main struct Plugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [
            ObservableClassMacro.self, NotObservedMacro.self, EndingObservationMacro.self,
        ]
    }
#else
    @main enum Plugin {
        static func main() {}
    }
#endif
