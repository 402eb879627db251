// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

#if SCENARIO_HOSTS
    /// What a model is that has another superclass.
    class Model: Foreign, ObservableHost {
        let observation = ObservationHeader()
    }

    class Foreign {
        var tag = "foreign"
    }
#else
    typealias Model = ObservableModel
#endif

/// The class of the objects of a test, as any user of the library writes one.
class Thing: Model {
    @Observed var i = 0
    @Observed var j = 0
    @Observed var d = 0.0
    @Observed var flag = false
    @Observed var s: String?
    @Observed var t: String?
    @Observed var a: Thing?
    @Observed var b: Thing?
    @Observed var c: Thing?
    @ObservedWeak var w: Thing?
    @Observed var list: ObservableArray<Thing>? = []
    @Observed var strings: ObservableArray<String>? = []
    @Observed var dict: ObservableDictionary<String, Thing>? = [:]
    @Observed var words: ObservableDictionary<String, String>? = [:]
    @Observed var set: ObservableSet<Thing>? = []
    @Observed var tags: ObservableSet<String>? = []
    @ObservedAs<EverySet> var plain: [Thing]? = []
    @ObservedAs<Percentage> var clamped = 0
    @Observed var any: AnyObject?
    @Computed(Thing.makeSum) var sum: Int
    @Computed(Thing.makeTwice) var twice: Int
    @Computed(Thing.makeLabel) var label: String?
    @Computed({ (thing: Thing) in thing.makeDeep() }) var deep: Int
    @Computed(Thing.makePick) var pick: Thing?
    @Lazy(Thing.makeTenfold) var tenfold: Int
    @Computed(Thing.makeCopied) var copied: ObservableArray<String>?

    /// How often each was computed.
    var evaluations: [String: Int] = [:]

    /// Its name in the script. Not a constant: that would be a property that `*` compares.
    private(set) var named: NamedThing

    required init(named: NamedThing) {
        self.named = named
        super.init()
        world.bare.forEach(takeAway)
        world.thingsAlive += 1
    }

    /// A collection, before anybody observes it.
    private func takeAway(_ collection: String) {
        switch collection {
        case "list": _list.unobserved = nil
        case "strings": _strings.unobserved = nil
        case "dict": _dict.unobserved = nil
        case "words": _words.unobserved = nil
        case "set": _set.unobserved = nil
        case "tags": _tags.unobserved = nil
        default: _plain.unobserved = nil
        }
    }

    /// What the program wants to do with it comes first; then it is dead.
    deinit {
        world.thingEnds(named)
        named.thing = nil
        world.thingsAlive -= 1
    }

    /// Lets go of what it refers to: breaks every cycle.
    func endReferences() {
        a = nil
        b = nil
        c = nil
        w = nil
        list = nil
        dict = nil
        set = nil
        plain = nil
        any = nil
        computedProperties.invalidate()
        pick = nil
    }
}

/// By identity: what a set of them goes by.
extension Thing: Hashable {
    nonisolated static func == (a: Thing, b: Thing) -> Bool { a === b }

    nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Thing: ObservationAware {
    func didBecomeObserved(_ property: String) {
        world.thingTold(named, "+" + property)
    }

    func didBecomeUnobserved(_ property: String) {
        world.thingTold(named, "-" + property)
    }
}

final class Sub: Thing {
    @Observed var k = 0
    @Computed(Sub.makePing) var ping: Int
    @Computed(Sub.makePong) var pong: Int

    private func makePing() -> Int { counted("ping", pong + 1) }
    private func makePong() -> Int { counted("pong", ping + 1) }
}

// What is computed.
extension Thing {
    fileprivate func makeSum() -> Int { counted("sum", i + j) }
    fileprivate func makeTwice() -> Int { counted("twice", sum * 2) }
    fileprivate func makeLabel() -> String? { counted("label", (s ?? "") + (t ?? "")) }
    fileprivate func makeDeep() -> Int { counted("deep", b?.c?.i ?? -1) }
    fileprivate func makePick() -> Thing? { counted("pick", flag ? b : a) }
    fileprivate func makeTenfold() -> Int { counted("tenfold", i * 10) }
    fileprivate func makeCopied() -> ObservableArray<String>? {
        counted("copied", strings?.copy())
    }

    fileprivate func counted<Made>(_ property: String, _ make: @autoclosure () -> Made) -> Made {
        evaluations[property, default: 0] += 1
        return make()
    }
}

/// Every set but that of nil over nil is a change.
enum EverySet: ObservationPolicy {
    static func areEqual(_ a: [Thing]?, _ b: [Thing]?) -> Bool { a == nil && b == nil }
}

/// Keeps 0 to 100.
enum Percentage: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }

    static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
}

// Writing past the setters. What is replaced lives until the write is over: its end may come back
// to the property.
extension Thing {
    func pokeI(_ value: Int) { _i.unobserved = value }
    func pokeJ(_ value: Int) { _j.unobserved = value }
    func pokeD(_ value: Double) { _d.unobserved = value }
    func pokeFlag(_ value: Bool) { _flag.unobserved = value }
    func pokeS(_ value: String?) { _s.unobserved = value }
    func pokeT(_ value: String?) { _t.unobserved = value }
    func pokeA(_ value: Thing?) {
        withExtendedLifetime(_a.unobserved) { _a.unobserved = value }
    }
    func pokeB(_ value: Thing?) {
        withExtendedLifetime(_b.unobserved) { _b.unobserved = value }
    }
    func pokeC(_ value: Thing?) {
        withExtendedLifetime(_c.unobserved) { _c.unobserved = value }
    }
    func pokeW(_ value: Thing?) { _w.unobserved = value }
    func pokeList(_ value: ObservableArray<Thing>?) {
        withExtendedLifetime(_list.unobserved) { _list.unobserved = value }
    }
    func pokeStrings(_ value: ObservableArray<String>?) { _strings.unobserved = value }
    func pokeDict(_ value: ObservableDictionary<String, Thing>?) {
        withExtendedLifetime(_dict.unobserved) { _dict.unobserved = value }
    }
    func pokeWords(_ value: ObservableDictionary<String, String>?) { _words.unobserved = value }
    func pokeSet(_ value: ObservableSet<Thing>?) {
        withExtendedLifetime(_set.unobserved) { _set.unobserved = value }
    }
    func pokeTags(_ value: ObservableSet<String>?) { _tags.unobserved = value }
    func pokePlain(_ value: [Thing]?) {
        withExtendedLifetime(_plain.unobserved) { _plain.unobserved = value }
    }
    func pokeClamped(_ value: Int) { _clamped.unobserved = value }
    func pokeAny(_ value: AnyObject?) {
        withExtendedLifetime(_any.unobserved) { _any.unobserved = value }
    }
}

extension Sub {
    func pokeK(_ value: Int) { _k.unobserved = value }
}
