// SPDX-License-Identifier: Apache-2.0
//
// What the annotations write, and what they say of what they do not take.

@testable import Expansion
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// - Parameter missing: the protocols that the class does not conform to by itself; of the compiler
///   the macro would learn it.
private func expect(
    _ source: String, becomes expanded: String, missing: [TypeSyntax] = ["ObservableHost"],
    _ diagnostics: [DiagnosticSpec] = [], at location: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics,
        macroSpecs: [
            "ObservableClass": MacroSpec(type: ObservableClassMacro.self, conformances: missing),
            "NotObserved": MacroSpec(type: NotObservedMacro.self),
        ],
        failureHandler: { failure in
            Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
        })
}

private let header = "nonisolated let observation = ObservableSwift.ObservationHeader()"
private let uncoded: [TypeSyntax] = ["ObservableHost", "Encodable", "Decodable"]

@Suite struct ExpansionTests {
    @Test func PK_1_each_stored_var_gets_a_wrapper() {
        expect(
            """
            @ObservableClass
            final class User {
                var name = ""
                private(set) var age: Int
                var size = 0 { didSet {} }
                @available(*, deprecated) var old = 0
                @MainActor var shown = false
            }
            """,
            becomes: """
                final class User {
                    @ObservableSwift.Observed
                    var name = ""
                    @ObservableSwift.Observed
                    private(set) var age: Int
                    @ObservableSwift.Observed
                    var size = 0 { didSet {} }
                    @available(*, deprecated)
                    @ObservableSwift.Observed var old = 0
                    @MainActor
                    @ObservableSwift.Observed var shown = false

                    \(header)

                    deinit {
                        _endObservation()
                    }
                }

                extension User: nonisolated ObservableSwift.ObservableHost {
                }
                """, missing: uncoded)
    }

    @Test func PK_1_what_is_no_stored_var_is_left_alone() {
        let members = """
                let id = 1
                static var all = 0
                class var kind: Int { 1 }
                override var above: Int { didSet {} }
                var sum: Int { 1 }
                var both: Int {
                    get { 1 }
                    set {}
                }
                func change() {}
            """
        expect(
            "@ObservableClass\nclass User: Base {\n\(members)\n}",
            becomes: "class User: Base {\n\(members)\n}", missing: ["Encodable", "Decodable"])
    }

    @Test func PK_1_a_wrapper_of_the_library_stays_alone() {
        let members = """
                @Observed var a = 1
                @ObservedWeak var b: User?
                @ObservedAs<Percent> var c = 1
                @ObservableSwift.ObservedAtomic var d = 1
                @Computed(User.makeE) var e: Int
                @Lazy(User.makeE) var f: Int
                @Eager(User.makeE) var g: Int
            @ComputedProperty<User, Int, _Once>(User.makeE) var i: Int
                @Observed @MyActor var h = 1
            """
        expect(
            "@ObservableClass\nclass User {\n\(members)\n}",
            becomes: "class User {\n\(members)\n}", missing: ["Encodable", "Decodable"])
    }

    @Test func PK_1_what_is_not_to_be_observed_is_left_alone() {
        expect(
            """
            @ObservableClass
            class User {
                @NotObserved var cache = 0
                @NotObserved lazy var late = 0
                @NotObserved weak var user: User?
                @NotObserved @Other var other = 0
            }
            """,
            becomes: """
                class User {
                    var cache = 0
                    lazy var late = 0
                    weak var user: User?
                    @Other var other = 0
                }
                """, missing: ["Encodable", "Decodable"])
    }

    @Test(arguments: [
        ("public ", "public "), ("open ", "public "), ("package ", "package "), ("private ", ""),
        ("", ""),
    ])
    func PK_2_the_header_is_as_visible_as_the_class(_ access: String, _ wanted: String) {
        expect(
            "@ObservableClass\n\(access)class User {\n}",
            becomes: """
                \(access)class User {

                    \(wanted)\(header)

                    deinit {
                        _endObservation()
                    }
                }

                extension User: nonisolated ObservableSwift.ObservableHost {
                }
                """, missing: uncoded)
    }

    @Test func PK_2_the_header_ends_behind_a_deinit_of_the_program() {
        expect(
            """
            @ObservableClass
            class User {
                deinit {
                    close()
                }
            }
            """,
            becomes: """
                class User {
                    @ObservableMacros._EndingObservation
                    deinit {
                        close()
                    }

                    \(header)
                }

                extension User: nonisolated ObservableSwift.ObservableHost {
                }
                """, missing: uncoded)
        assertMacroExpansion(
            "@End deinit {\n    close()\n}",
            expandedSource: """
                deinit {
                    defer {
                        _endObservation()
                    }
                    close()
                }
                """,
            macroSpecs: ["End": MacroSpec(type: EndingObservationMacro.self)],
            failureHandler: { Issue.record(Comment(rawValue: $0.message)) })
    }

    @Test func LT_4_a_conditional_deinit_is_asked_for() {
        let members = """
                #if DEBUG
                deinit {}
                #endif
            """
        expect(
            "@ObservableClass\nclass User {\n\(members)\n}",
            becomes: """
                class User {
                \(members)

                    \(header)
                }

                extension User: nonisolated ObservableSwift.ObservableHost {
                }
                """, missing: uncoded,
            [
                DiagnosticSpec(
                    message:
                        "'@ObservableClass' does not know whether there is this 'deinit': "
                        + "write the '#if' inside of it", line: 3, column: 5)
            ])
    }

    @Test func PK_1_coding_keys_are_the_stored_properties() {
        expect(
            """
            @ObservableClass
            class User {
                let id: Int
                let (x, y) = (0, 0)
                var name = ""
                var `default` = 1
                @NotObserved var rest = 0
                @NotObserved lazy var late = 0
                @NotObserved weak var boss: User?
                @ObservedWeak var friend: User?
                @Computed(User.makeSum) var sum: Int
                var double: Int { 2 }
                static var all = 0
            }
            """,
            becomes: """
                class User {
                    let id: Int
                    let (x, y) = (0, 0)
                    @ObservableSwift.Observed
                    var name = ""
                    @ObservableSwift.Observed
                    var `default` = 1
                    var rest = 0
                    lazy var late = 0
                    weak var boss: User?
                    @ObservedWeak var friend: User?
                    @Computed(User.makeSum) var sum: Int
                    var double: Int { 2 }
                    static var all = 0

                    private enum CodingKeys: CodingKey {
                        case id, x, y, name, `default`, rest
                    }
                }
                """, missing: ["Decodable"])
    }

    @Test func PK_1_coding_keys_of_the_class_stay() {
        let members = """
                let id: Int
                enum CodingKeys: String, CodingKey {
                    case id = "number"
                }
            """
        expect(
            "@ObservableClass\nclass User {\n\(members)\n}", becomes: "class User {\n\(members)\n}",
            missing: [])
    }

    @Test func PK_1_coding_keys_of_conditional_properties_are_asked_for() {
        let members = """
                #if DEBUG
                let name: Int
                #endif
            """
        expect(
            "@ObservableClass\nclass User {\n\(members)\n}",
            becomes: """
                class User {
                \(members)

                    private enum CodingKeys: CodingKey {
                    }
                }
                """,
            missing: [],
            [
                DiagnosticSpec(
                    message:
                        "'@ObservableClass' does not know which of these properties there are: "
                        + "declare 'CodingKeys'", line: 3, column: 5)
            ])
    }

    @Test(arguments: [
        ("struct", "a value is observed in the property of a class that holds it"),
        ("enum", "a value is observed in the property of a class that holds it"),
        ("actor", "an actor conforms to 'ObservableHost' and has '@Observed' at its properties"),
    ])
    func PK_2_the_annotation_needs_a_class(_ kind: String, _ advice: String) {
        let declaration = "\(kind) User {\n    static var name = \"\"\n    var age: Int\n}"
        expect(
            "@ObservableClass\n\(declaration)", becomes: declaration, missing: uncoded,
            [
                DiagnosticSpec(
                    message: "'@ObservableClass' needs a class: \(advice)", line: 1, column: 1)
            ])
    }

    @Test(arguments: [
        (
            "lazy var x = 1",
            "a 'lazy' property cannot be observed: write '@NotObserved', or a getter with 'lazily { }'",
            ["insert '@NotObserved'"]
        ),
        (
            "weak var x: User?",
            "a 'weak' property is observed by '@ObservedWeak': write that in its place, or '@NotObserved'",
            ["write '@ObservedWeak' in its place", "insert '@NotObserved'"]
        ),
        (
            "unowned var x: User",
            "an 'unowned' property cannot be observed: write '@NotObserved'",
            ["insert '@NotObserved'"]
        ),
        (
            "@Clamped(1) var x = 1",
            "'@Clamped(1)' may be a wrapper, which cannot be observed: write '@NotObserved' before it, "
                + "or '@Observed' if it is none",
            ["insert '@NotObserved'", "insert '@Observed'"]
        ),
    ])
    func PK_1_a_property_that_takes_no_wrapper_is_refused(
        _ property: String, _ message: String, _ fixIts: [String]
    ) {
        let declaration = "class User {\n    \(property)\n}"
        expect(
            "@ObservableClass\n\(declaration)", becomes: declaration,
            missing: ["Encodable", "Decodable"],
            [
                DiagnosticSpec(
                    message: message, line: 3, column: 5,
                    fixIts: fixIts.map { FixItSpec(message: $0) })
            ])
    }

    @Test(arguments: ["var (x, y) = (1, 2)", "var x = 1, y = 2"])
    func PK_1_several_properties_in_one_var_are_refused(_ property: String) {
        let declaration = "class User {\n    \(property)\n}"
        expect(
            "@ObservableClass\n\(declaration)", becomes: declaration,
            missing: ["Encodable", "Decodable"],
            [
                DiagnosticSpec(
                    message: "'@ObservableClass' observes properties that are declared one by one: "
                        + "give each its own 'var'", line: 3, column: 9)
            ])
    }

    @Test(arguments: [
        (
            "    weak var x: User?", "    @ObservedWeak var x: User?",
            "write '@ObservedWeak' in its place"
        ),
        (
            "    /// Late.\n    lazy var x = 1", "    /// Late.\n    @NotObserved lazy var x = 1",
            "insert '@NotObserved'"
        ),
        ("    @MyActor var x = 1", "    @Observed @MyActor var x = 1", "insert '@Observed'"),
    ])
    func PK_1_the_way_out_is_written(_ property: String, _ fixed: String, _ fixIt: String) {
        assertMacroExpansion(
            "@ObservableClass\nclass User {\n\(property)\n}",
            expandedSource: "class User {\n\(property)\n}",
            diagnostics: [],
            macroSpecs: [
                "ObservableClass": MacroSpec(
                    type: ObservableClassMacro.self, conformances: ["Encodable", "Decodable"])
            ],
            applyFixIts: [fixIt],
            fixedSource: "@ObservableClass\nclass User {\n\(fixed)\n}",
            failureHandler: { failure in
                // What is told stands in the test above.
                guard !failure.message.contains("diagnostics") else { return }
                Issue.record(Comment(rawValue: failure.message))
            })
    }
}
