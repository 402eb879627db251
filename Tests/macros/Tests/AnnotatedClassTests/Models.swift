// SPDX-License-Identifier: Apache-2.0

import ObservableMacros
import ObservableSwift
import Observation

@ObservableClass final class Address: Codable {
    var zipCode: String?
    var resident: User?

    init(_ zipCode: String? = nil) {
        self.zipCode = zipCode
    }
}

@ObservableClass final class User: Codable, Observable {
    let id: Int
    var name = "Ada"
    var age = 36 { didSet { ages.append(oldValue) } }
    var address: Address?
    var tags: ObservableArray<String> = []
    @ObservedWeak var friend: User?
    @NotObserved var ages: [Int] = []
    @Computed(User.makeDecade) var decade: Int
    var shout: String { computed { name.uppercased() } }
    var town: String { "town of \(name)" }

    init(id: Int = 1) {
        self.id = id
    }

    private func makeDecade() -> Int { age / 10 }
}

/// What `User` would be to a coder if nothing were observed.
final class PlainUser: Codable {
    var id = 1
    var name = "Ada"
    var age = 36
    var address: PlainAddress?
    var tags: [String] = []
    var ages: [Int] = []
}

final class PlainAddress: Codable {
    var zipCode: String?
}

/// A superclass that knows nothing of observing.
class View {
    var frame = 0
}

@ObservableClass final class Slider: View {
    var value = 0
}

/// A superclass that is annotated, and what may be observed below it.
@ObservableClass class Shape {
    var area = 1
    func grow() { area += 1 }
    deinit { Ends.note("Shape") }
}

@ObservableClass class Box<Content>: Shape {
    var content: Content

    init(_ content: Content) {
        self.content = content
    }

    deinit { Ends.note("Box") }
}

/// Below the library's superclass: the annotation saves the wrappers.
@ObservableClass final class Modelled: ObservableModel {
    var level = 0
}

@MainActor @ObservableClass final class Form: Sendable {
    var text = ""
    private(set) var length = 0

    init() {
        tell(self, when: \.text) { form, _ in form.length = form.text.count }
    }
}

@ObservableClass final class Gauge: @unchecked Sendable {
    @ObservedAtomic var level = 0
}

public enum Outer {}
public extension Outer {
    @ObservableClass final class Nested {
        var name = ""
        public init() {}
    }
}

/// Notes, at its own end, how many observe it.
@ObservableClass final class Witness {
    var name = ""
    deinit { Ends.note("\(ObservationInspector(self).numberOfObservers(of: "name"))") }
}

@ObservableClass final class Holder {
    var witness: Witness? = Witness()
}

@ObservableClass final class HolderWithDeinit {
    var witness: Witness? = Witness()
    deinit { Ends.note("deinit, \(ObservationInspector(self).numberOfObservers(of: "witness"))") }
}

/// What objects of a test note at their ends.
enum Ends {
    @TaskLocal static var notes = Notes()
    static func note(_ text: String) { notes.texts.append(text) }

    final class Notes: @unchecked Sendable {
        var texts: [String] = []
    }

    /// Those of what ends inside of `body`.
    static func noted(_ body: () -> Void) -> [String] {
        $notes.withValue(Notes()) {
            body()
            return notes.texts
        }
    }
}
