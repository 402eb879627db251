// SPDX-License-Identifier: Apache-2.0

// Models of another module, as a program would have them that is made of several.

public import ObservableSwift

/// Open, with an observed property that is open too: a subclass may override it.
open class Vehicle: ObservableModel {
    @Observed open var name: String
    @Observed public var wheels = 4
    @Observed public private(set) var distance = 0.0
    @Observed public var owner: Person?
    @ObservedWeak public var previousOwner: Person?
    @ObservedAtomic public var signal = 0
    @ObservedAs<AlwaysDifferent<Int>> public var beats = 0
    @Observed private var serial = "factory"
    public let maker: Person?

    public init(name: String, maker: Person? = nil) {
        self.name = name
        self.maker = maker
        super.init()
    }

    public func drive(_ length: Double) {
        distance += length
    }

    public func renumber(_ serial: String) {
        self.serial = serial
    }
}

public final class Person: ObservableModel {
    @Observed public var name: String
    @Observed public var size = Measure()
    @Observed public var friend: Person?
    /// Seen by this module alone.
    @Observed var secret = 0

    public init(_ name: String) {
        self.name = name
        super.init()
    }

    public func whisper(_ secret: Int) {
        self.secret = secret
    }
}

/// A value with fields, that has no `==`.
public struct Measure: Sendable {
    public var width = 0.0
    public var height = 0.0
    public var note = ""

    public init(width: Double = 0, height: Double = 0, note: String = "") {
        self.width = width
        self.height = height
        self.note = note
    }
}

open class Container<Element>: ObservableModel {
    @Observed public var content: Element
    @Observed public var inner: Container<Element>?

    public init(_ content: Element) {
        self.content = content
        super.init()
    }
}

/// A class that a foreign library might have: no model.
open class Plain {
    public var title = ""
    public init() {}
}

public protocol Named: AnyObject {
    var name: String { get set }
}

extension Person: Named {}
