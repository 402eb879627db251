// SPDX-License-Identifier: Apache-2.0

import CObservable

// A derived collection follows its source by the engine of <observable/derived.h>. The engine gets
// each element as a token, an opaque pointer, and calls the program's closures through the
// functions below.

/// Converts elements of one type to tokens and back. An object is its own token, a trivial value of
/// up to 8 bytes is the token's bits, and any other element is boxed.
struct ElementTokens<Element> {
    private final class Box {
        let value: Element
        init(_ value: Element) { self.value = value }
    }

    private let isObject = Element.self is AnyObject.Type
    private let isInline = _isPOD(Element.self) && MemoryLayout<Element>.size <= 8
    private var equality: ((Element, Element) -> Bool)?
    private var hashing: ((Element) -> Int)?

    init() {
        if !isObject, let type = Element.self as? any Hashable.Type { compare(type) }
    }

    private mutating func compare<Value: Hashable>(_: Value.Type) {
        equality = { ($0 as! Value) == ($1 as! Value) }
        hashing = { ($0 as! Value).hashValue }
    }

    func make(_ element: Element) -> UnsafeMutableRawPointer? {
        if isObject {
            return Unmanaged.passRetained(unsafeBitCast(element, to: AnyObject.self)).toOpaque()
        }
        if isInline {
            var word: UInt = 0
            withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: element, as: Element.self) }
            return UnsafeMutableRawPointer(bitPattern: word)
        }
        return Unmanaged.passRetained(Box(element)).toOpaque()
    }

    func element(_ token: UnsafeRawPointer?) -> Element {
        if isObject {
            return unsafeBitCast(
                Unmanaged<AnyObject>.fromOpaque(token!).takeUnretainedValue(), to: Element.self)
        }
        if isInline {
            return withUnsafeBytes(of: UInt(bitPattern: token)) { $0.load(as: Element.self) }
        }
        return Unmanaged<Box>.fromOpaque(token!)._withUnsafeGuaranteedRef { $0.value }
    }

    /// The element whose token lies at `place`. Tokens of objects and small trivial values have the
    /// layout of the element itself, so such an element is read without a detour.
    @inline(__always)
    func element(at place: UnsafeRawPointer) -> Element {
        isObject || isInline
            ? place.assumingMemoryBound(to: Element.self).pointee
            : element(place.load(as: UnsafeRawPointer?.self))
    }

    func letGo(_ token: UnsafeMutableRawPointer?) {
        if !isInline { Unmanaged<AnyObject>.fromOpaque(token!).release() }
    }

    func areSame(_ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?) -> Bool {
        if a == b { return true }
        if isObject || isInline { return false }
        guard let equality else { return identity(a) != nil && identity(a) == identity(b) }
        return equality(element(a), element(b))
    }

    func hash(_ token: UnsafeRawPointer?) -> Int {
        if isObject || isInline { return Int(bitPattern: token) >> (isInline ? 0 : 4) }
        guard let hashing else { return identity(token)?.hashValue ?? Int(bitPattern: token) }
        return hashing(element(token))
    }

    /// The identity of the object in an element of a protocol's type; nil: the element is no
    /// object.
    private func identity(_ token: UnsafeRawPointer?) -> ObjectIdentifier? {
        let element = element(token) as Any
        return type(of: element) is AnyObject.Type ? ObjectIdentifier(element as AnyObject) : nil
    }
}

/// Answers the engine's questions for one derivation, which retains its follower until it has
/// ended.
class Follower {
    final var kind = UnsafeMutablePointer<obv_derived_kind>.allocate(capacity: 1)
    final var derivation: OpaquePointer!
    private var paths: [CompiledPath] = []
    private var loop: DeliveryLoop?
    private var pointers: UnsafeMutablePointer<OpaquePointer>?
    /// The observation of another object that the condition reads, kept as long as the derivation.
    fileprivate var observation: ObservationHandle?

    init() {
        kind.initialize(to: obv_derived_kind())
        kind.pointee.size = MemoryLayout<obv_derived_kind>.size
    }

    deinit {
        kind.deallocate()
        pointers?.deallocate()
    }

    // MARK: - What the engine asks

    func take(_ place: UnsafeRawPointer) -> UnsafeMutableRawPointer? { fatalError("abstract") }
    func take(_ value: obv_value) -> UnsafeMutableRawPointer? { fatalError("abstract") }
    func letGo(_ token: UnsafeMutableRawPointer?) {}
    func areSame(_ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?) -> Bool { false }
    func hash(_ token: UnsafeRawPointer?) -> Int { 0 }
    func object(_ token: UnsafeRawPointer) -> HeaderPointer? { nil }
    func includes(_ place: UnsafeRawPointer) -> Bool { true }
    func map(
        _ key: UnsafeRawPointer?, _ place: UnsafeRawPointer,
        _ mapped: inout UnsafeMutableRawPointer?
    ) -> Bool { false }
    func hasLeft(_ token: UnsafeMutableRawPointer?) {}
    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int { 0 }
    func key(_ place: UnsafeRawPointer) -> UnsafeRawPointer? { nil }
    func container(_ place: UnsafeRawPointer) -> HeaderPointer? { nil }
    func beginGroup(
        _ list: OpaquePointer, _ key: UnsafeRawPointer
    ) -> UnsafeMutableRawPointer? { nil }
    func endGroup(_ group: UnsafeMutableRawPointer) {}
    func edited(
        _ list: OpaquePointer?, _ group: UnsafeMutableRawPointer?,
        _ edits: UnsafeBufferPointer<obv_container_edit>
    ) {}

    // MARK: - Beginning and ending

    /// Sets the paths along which elements are observed, and the loop whose drains bring the
    /// derived collection up to date; nil: each change does so at once.
    final func observe<Root>(_ typed: [TypedPath<Root>], on loop: DeliveryLoop?) {
        self.loop = loop
        kind.pointee.loop = loop.flatMap { try? $0.pointer() }
        if typed.isEmpty { return }
        paths = typed.flatMap(PathComponent.lists).compactMap { try? CompiledPath($0, from: nil) }
        let pointers = UnsafeMutablePointer<OpaquePointer>.allocate(capacity: paths.count)
        for (index, path) in paths.enumerated() { pointers[index] = path.pointer }
        self.pointers = pointers
        kind.pointee.compiled = UnsafePointer(pointers)
        kind.pointee.path_count = paths.count
    }

    /// Begins to follow a source. Releasing the returned hold ends the derivation.
    final func follow(_ source: ObservableContainer) -> DerivationHold {
        let bound = Unmanaged.passRetained(self)
        var error = obv_error()
        let header = try? source.adopt()
        let status = header.map {
            obv_derivation_create(
                $0.container, kind, Self.binding, bound.toOpaque(), bound.toOpaque(), &derivation,
                &error)
        }
        if status != OBV_OK {
            fatalError("there is no memory to follow a collection")
        }
        return DerivationHold(derivation)
    }

    private nonisolated(unsafe) static let binding: UnsafePointer<obv_derived_binding> = {
        let binding = UnsafeMutablePointer<obv_derived_binding>.allocate(capacity: 1)
        binding.initialize(
            to: obv_derived_binding(
                size: MemoryLayout<obv_derived_binding>.size,
                take: { place, token, bound in
                    token.pointee = Follower.of(bound).take(place)
                    return true
                },
                take_value: { value, token, bound in
                    token.pointee = Follower.of(bound).take(value.pointee)
                    return true
                },
                let_go: { Follower.of($1).letGo($0) },
                same: { Follower.of($2).areSame($0, $1) },
                hash: { UInt64(truncatingIfNeeded: Follower.of($1).hash($0)) },
                object: { token, bound in token.flatMap { Follower.of(bound).object($0) } },
                begin_group: { Follower.of($2).beginGroup($0, $1) },
                end_group: { Follower.of($1).endGroup($0) },
                edited: { list, group, edits, count, bound in
                    Follower.of(bound).edited(
                        list, group, UnsafeBufferPointer(start: edits, count: count))
                },
                ended: { Unmanaged<Follower>.fromOpaque($0!).release() }, allocator: nil))
        return UnsafePointer(binding)
    }()

    fileprivate static func of(_ argument: UnsafeMutableRawPointer?) -> Follower {
        Unmanaged<Follower>.fromOpaque(argument!).takeUnretainedValue()
    }

    /// Asks a follower without retaining it: the derivation holds the follower during the question.
    @inline(__always)
    fileprivate static func ask<Answer>(
        _ argument: UnsafeMutableRawPointer?, _ question: (Follower) -> Answer
    ) -> Answer {
        Unmanaged<Follower>.fromOpaque(argument!)._withUnsafeGuaranteedRef(question)
    }
}

/// Owns a derivation, which ends when the hold is released.
final class DerivationHold {
    let derivation: OpaquePointer
    init(_ derivation: OpaquePointer) { self.derivation = derivation }
    deinit { obv_derivation_end(derivation) }
}

/// Answers the engine's questions by closures of the program.
class ClosureFollower<Element, Output>: Follower {
    final let tokens = ElementTokens<Element>()
    final let outputs = ElementTokens<Output>()
    final var condition: ((Element) -> Bool)? {
        didSet { kind.pointee.includes = { place, me in Follower.ask(me) { $0.includes(place) } } }
    }
    final var transform: ((UnsafeRawPointer?, Element) -> Output?)? {
        didSet {
            kind.pointee.map = { Follower.of($3).map($0, $1, &$2.pointee) }
            kind.pointee.left = { Follower.of($1).hasLeft($0) }
        }
    }
    /// Called with each output that the derived array does not show any more.
    final var left: ((Output) -> Void)?
    final var order: ((Element, Element) -> Int)? {
        didSet {
            kind.pointee.compare = { a, b, me in Int32(Follower.ask(me) { $0.compare(a, b) }) }
        }
    }
    /// The inner array of the last answer, kept alive until the engine has retained it.
    final var lastInner: ObservableContainer?
    final var inner: ((UnsafeRawPointer) -> ObservableContainer?)? {
        didSet { kind.pointee.container = { Follower.of($1).container($0)?.container } }
    }
    /// Unowned, since the derived array holds its follower.
    final unowned var output: DerivedArray<Output>!

    override func take(_ place: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
        tokens.make(place.assumingMemoryBound(to: Element.self).pointee)
    }
    override func take(_ value: obv_value) -> UnsafeMutableRawPointer? {
        tokens.make(ChangeValue(value).value()!)
    }
    override func letGo(_ token: UnsafeMutableRawPointer?) { tokens.letGo(token) }
    override func areSame(_ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?) -> Bool {
        tokens.areSame(a, b)
    }
    override func hash(_ token: UnsafeRawPointer?) -> Int { tokens.hash(token) }
    override func object(_ token: UnsafeRawPointer) -> HeaderPointer? {
        try? (tokens.element(token) as? any ObservableHost)?.adopt()
    }
    override func includes(_ place: UnsafeRawPointer) -> Bool {
        condition!(tokens.element(at: place))
    }
    override func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        order!(tokens.element(at: a), tokens.element(at: b))
    }
    override func container(_ place: UnsafeRawPointer) -> HeaderPointer? {
        lastInner = inner!(place)
        return try? lastInner?.adopt()
    }
    override func map(
        _ key: UnsafeRawPointer?, _ place: UnsafeRawPointer,
        _ mapped: inout UnsafeMutableRawPointer?
    ) -> Bool {
        guard let value = transform!(key, tokens.element(at: place)) else { return false }
        mapped = outputs.make(value)
        return true
    }
    override func hasLeft(_ token: UnsafeMutableRawPointer?) {
        left?(outputs.element(token))
        outputs.letGo(token)
    }

    override func edited(
        _ list: OpaquePointer?, _ group: UnsafeMutableRawPointer?,
        _ edits: UnsafeBufferPointer<obv_container_edit>
    ) {
        output.apply(edits, of: list!, outputs)
    }

    /// Begins to follow a source, and makes the array that shows the result.
    final func derive(from source: ObservableContainer) -> DerivedArray<Output> {
        let output = DerivedArray<Output>()
        self.output = output
        let hold = follow(source)
        output.begin(obv_derivation_list(derivation)!, outputs, by: self, hold)
        return output
    }

    /// Sets a condition that also reads `object`. A change along `path` asks about all elements
    /// again.
    final func ask<Object: ObservableHost>(
        _ object: Object, when path: TypedPath<Object>,
        _ isIncluded: @escaping (Element, Object) -> Bool
    ) {
        condition = { [weak object] element in object.map { isIncluded(element, $0) } ?? false }
        observation = object.tell(
            self, when: path, on: .main, options: .immediate, label: "derived"
        ) { follower, _ in
            _ = obv_derivation_refresh(follower.derivation, OBV_DERIVED_ALL.rawValue)
        }
    }
}

/// Answers with keys of elements, by which the engine groups elements or leaves out repeated ones.
final class KeyFollower<Element, Key: Hashable>: ClosureFollower<Element, Element> {
    var key: (Element) -> Key
    private let lastKey = UnsafeMutablePointer<Key?>.allocate(capacity: 1)
    private var groups: [Key: DerivedArray<Element>] = [:]
    private unowned var dictionary: DerivedDictionary<Key, DerivedArray<Element>>!

    init(_ key: @escaping (Element) -> Key) {
        self.key = key
        lastKey.initialize(to: nil)
        super.init()
        kind.pointee.keys = KeyKinds.kind(of: Key.self)
        kind.pointee.key = { place, me in Follower.ask(me) { $0.key(place) } }
    }

    deinit {
        lastKey.deinitialize(count: 1)
        lastKey.deallocate()
    }

    override func key(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        lastKey.pointee = key(tokens.element(at: place))
        return UnsafeRawPointer(lastKey)
    }

    override func beginGroup(
        _ list: OpaquePointer, _ key: UnsafeRawPointer
    ) -> UnsafeMutableRawPointer? {
        let group = DerivedArray<Element>()
        group.follow(list, by: self)
        groups[key.assumingMemoryBound(to: Key.self).pointee] = group
        return Unmanaged.passRetained(group).toOpaque()
    }

    override func endGroup(_ group: UnsafeMutableRawPointer) {
        let group = Unmanaged<DerivedArray<Element>>.fromOpaque(group)
        group.takeUnretainedValue().follow(nil, by: nil)
        group.release()
    }

    override func edited(
        _ list: OpaquePointer?, _ group: UnsafeMutableRawPointer?,
        _ edits: UnsafeBufferPointer<obv_container_edit>
    ) {
        if let group, let list {
            Unmanaged<DerivedArray<Element>>.fromOpaque(group).takeUnretainedValue()
                .apply(edits, of: list, tokens)
        } else if list != nil {
            super.edited(list, group, edits)
        } else {
            let puts = edits.map { edit in
                let key = edit.key!.assumingMemoryBound(to: Key.self).pointee
                let value = edit.inserted > 0 ? groups[key] : nil
                if value == nil { groups[key] = nil }
                return (key: key, value: value)
            }
            let dictionary = dictionary!
            dictionary._edit(puts)
        }
    }

    func unique(_ source: ObservableContainer) -> DerivedArray<Element> {
        kind.pointee.is_distinct = true
        return derive(from: source)
    }

    func group(_ source: ObservableContainer) -> DerivedDictionary<Key, DerivedArray<Element>> {
        let dictionary = DerivedDictionary<Key, DerivedArray<Element>>()
        self.dictionary = dictionary
        let hold = follow(source)
        dictionary.begin(groups.filter { !$1.isEmpty }.map { ($0, $1) }, by: self, hold)
        return dictionary
    }
}
