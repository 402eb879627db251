// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private class Base: ObservableModel {
    @Observed private var secret = 0
    @Observed private var same: Base?
    func setBaseSecret(_ value: Int) { secret = value }
    func setBaseSame(_ value: Base?) { same = value }
    static var baseSecret: TypedPath<Base> { \.secret }
}

private final class Derived: Base {
    @Observed private var secret = ""
    @Observed private var same: Base?
    func setSecret(_ value: String) { secret = value }
    func setSame(_ value: Base?) { same = value }
    static var secret: TypedPath<Derived> { \.secret }
    static var sameSecret: TypedPath<Derived> {
        (\.same as TypedPath<Derived>).appending(Base.baseSecret)
    }
}

private final class Odd: ObservableModel {
    @Observed var größe = 0
    @Observed var 名前 = ""
    @Observed var 🐝 = false
    @Observed var _under = 0
    @Observed var __twice = 0
    @Observed var `class` = 0
    @Observed var `a b.c*` = 0
    @Observed var `7` = 0
    @Observed var `#1` = 0
    @Observed var `@sum` = 0
    @Observed var `&5` = 0
    @Observed var count = 0
    @Observed var observation2 = 0
    @Observed var next: Odd?
}

@Suite struct PropertyNameTests {
    private func check(
        _ text: TextPath, _ typed: TypedPath<Odd>, listed: String,
        location: SourceLocation = #_sourceLocation, _ change: (Odd) -> Void
    ) {
        let odd = Odd()
        let calls = BothSpellings(odd, text, typed)
        #expect(calls.text.observation.unresolvedPaths == [], sourceLocation: location)
        #expect(odd.allObservedProperties == [listed], sourceLocation: location)
        #expect(odd.numberOfObservers(of: listed) == 2, sourceLocation: location)
        change(odd)
        #expect(calls.new == 1, sourceLocation: location)
        calls.text.observation.stop(about: typed, of: odd)
        calls.typed.observation.stop(about: text)
        #expect(odd.allObservedProperties == [], sourceLocation: location)
    }

    @Test func KP_1_KP_19_names_with_letters_of_any_script() {
        check("größe", \.größe, listed: "größe") { $0.größe = 1 }
        check("名前", \.名前, listed: "名前") { $0.名前 = "a" }
        check("🐝", \.🐝, listed: "🐝") { $0.🐝 = true }
    }

    @Test func KP_1_names_with_underscores() {
        check("_under", \._under, listed: "_under") { $0._under = 1 }
        check("__twice", \.__twice, listed: "__twice") { $0.__twice = 1 }
        check("class", \.class, listed: "class") { $0.class = 1 }
    }

    @Test func KP_1_KP_19_names_that_need_escapes() {
        check(#"a b\.c\*"#, \.`a b.c*`, listed: "a b.c*") { $0.`a b.c*` = 1 }
        check(#"\7"#, \.`7`, listed: "7") { $0.`7` = 1 }
        check("\\#1", \.`#1`, listed: "#1") { $0.`#1` = 1 }
        check(#"\@sum"#, \.`@sum`, listed: "@sum") { $0.`@sum` = 1 }
        check(#"\&5"#, \.`&5`, listed: "&5") { $0.`&5` = 1 }
        check("count", \.count, listed: "count") { $0.count = 1 }
        check(#"\count"#, \.count, listed: "count") { $0.count = 1 }
        let odd = Odd()
        let below = BothSpellings(odd, #"next.a b\.c\*"#, \.next?.`a b.c*`)
        odd.next = Odd()
        odd.next?.`a b.c*` = 3
        #expect(below.new == 1)
    }

    /// Private properties of a class and of its superclass may have one name: text finds the
    /// superclass's.
    @Test func KP_1_one_name_in_class_and_superclass() {
        let derived = Derived()
        let text = Calls(derived, "secret")
        let base = Calls(derived as Base, Base.baseSecret)
        let own = Calls(derived, Derived.secret)
        let all = Calls(derived, "*")
        derived.setBaseSecret(1)
        #expect(text.new == 1 && base.new == 1 && own.new == 0 && all.new == 1)
        derived.setSecret("a")
        #expect(text.new == 0 && base.new == 0 && own.new == 1 && all.new == 1)
        #expect(derived.numberOfObservers(of: "secret") == 3)
        #expect(derived.allObservedProperties == ["secret", "Derived.secret", "*"])
        let below = Calls(derived, Derived.sameSecret)
        let other = Base()
        derived.setSame(other)
        #expect(below.new == 1)
        other.setBaseSecret(5)
        #expect(below.new == 1)
        derived.setBaseSame(other)
        #expect(below.new == 0)
    }

    /// Of two objects of a class, by text and typed, each property is its own.
    @Test func PK_1_nine_properties() {
        let nine = Nine()
        let calls = (0..<9).map { Calls(nine, try! TextPath(parsing: "p\($0)")) }
        let paths: [ReferenceWritableKeyPath<Nine, Int>] = [
            \.p0, \.p1, \.p2, \.p3, \.p4, \.p5, \.p6, \.p7, \.p8,
        ]
        for (index, path) in paths.enumerated() {
            nine[keyPath: path] = 1
            #expect(calls.map(\.new) == (0..<9).map { $0 == index ? 1 : 0 })
        }
    }
}

private final class Nine: ObservableModel {
    @Observed var p0 = 0
    @Observed var p1 = 0
    @Observed var p2 = 0
    @Observed var p3 = 0
    @Observed var p4 = 0
    @Observed var p5 = 0
    @Observed var p6 = 0
    @Observed var p7 = 0
    @Observed var p8 = 0
}
