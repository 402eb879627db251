// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The core's `struct obv_component` of one component of a typed path, and its reader.
///
/// The struct is never freed, since the core knows components by their address and remembers what
/// they are on each class. The reader, and with it each value that its key paths have captured,
/// stays only while the component is in use. Equal key paths share the component of the first of
/// them.
///
/// Swift does not tell whether a key path has captured values. So a component that is not in use
/// keeps only the memory of its key paths, not their values. A literal without captures is made
/// once and lives for ever, and so does its component. A literal with captures is made anew at each
/// evaluation and dies with its holder. Then the component has ended, and its struct waits to be
/// used again for a component of the same likeness.
final class Component: @unchecked Sendable {
    private(set) var pointer: UnsafeMutablePointer<obv_component>!
    let likeness: Likeness
    private let state = Locked<State>(State())

    /// Equal for two components that the core need not tell apart: what the core remembers of one
    /// is right for the other, so the other may use its struct.
    struct Likeness: Hashable, @unchecked Sendable {
        /// Of a view: the property's component. Views of one property are alike, whatever part they
        /// read.
        let property: ObjectIdentifier?
        /// Of a property: the key path's hash. A subscript argument whose hash leaves out what
        /// selects another property is an error of that hash.
        let hash: Int
        let text: UnsafePointer<CChar>
    }

    private struct State {
        var reader: ComponentReader?
        var uses = 0
        var keyPaths: [IdleKeyPath] = []
        var hasEnded = true
        /// The number of the present life. Between a comparison and a use the component may have
        /// ended and begun again, for other key paths or for equal ones.
        var life = 0
        /// Whether the core may remember a wrong answer of the component, which then is not used
        /// any more.
        var isSpoilt = false
        /// Whether a late property of a class is known by this component (``LateProperties``), so
        /// that the component has only one life.
        var isLate = false
    }

    /// A component that nobody uses yet.
    init(_ likeness: Likeness) {
        self.likeness = likeness
        pointer = .allocate(capacity: 1)
        pointer.initialize(
            to: obv_component(
                text: likeness.text, kind: ComponentAnswers.kind,
                context: Unmanaged.passRetained(self).toOpaque(),
                plain: likeness.property == nil, name: 0, known: (0, 0, 0, 0)))
    }

    // MARK: - Uses

    /// Begins a life, with the first use.
    ///
    /// - Returns: the number of the life; nil: the component is spoilt, or late and has had its one
    ///   life.
    func begin(_ reader: ComponentReader) -> Int? {
        let keyPaths = reader.keyPaths.map(IdleKeyPath.init)
        let life = state.withLock { state -> Int? in
            if state.isSpoilt || (state.isLate && state.life > 0) { return nil }
            state.reader = reader
            state.uses = 1
            state.keyPaths = keyPaths
            state.hasEnded = false
            state.life += 1
            return state.life
        }
        if life == nil {
            for keyPath in keyPaths { keyPath.forget() }
        }
        return life
    }

    /// Adds a use to a life, if the life goes on and its reader equals `reader`. The comparison
    /// runs `==` of captured values.
    func use(_ reader: ComponentReader, in life: Int) -> Bool {
        guard lifeIfEqual(reader) == life else { return false }
        return state.withLock { state in
            if state.hasEnded || state.isSpoilt || state.life != life { return false }
            state.uses += 1
            if state.reader == nil {
                state.reader = reader
            }
            return true
        }
    }

    /// Ends one use.
    func leave() {
        let reader = state.withLock { state in
            state.uses -= 1
            defer {
                if state.uses == 0 { state.reader = nil }
            }
            return state.uses == 0 ? state.reader : nil
        }
        // Captured values may end here, outside of the lock, since their `deinit` is code of the
        // program.
        withExtendedLifetime(reader) {}
    }

    /// Ends a life if the component is not in use and cannot be asked for any more: a key path is
    /// gone, or the component is spoilt.
    ///
    /// - Returns: whether this call has ended the life.
    func endIfGone(in life: Int) -> Bool {
        end { $0.life == life && ($0.isSpoilt || $0.keyPaths.contains(where: \.isGone)) }
    }

    /// Ends the present life if the component is not in use; answers whether this call did so.
    func end() -> Bool {
        end { _ in true }
    }

    private func end(_ mayEnd: (State) -> Bool) -> Bool {
        let keyPaths = state.withLock { state -> [IdleKeyPath]? in
            if state.hasEnded || state.uses > 0 || !mayEnd(state) { return nil }
            state.hasEnded = true
            defer { state.keyPaths = [] }
            return state.keyPaths
        }
        for keyPath in keyPaths ?? [] { keyPath.forget() }
        return keyPaths != nil
    }

    /// The number of the present life if its reader equals `reader`; else nil.
    private func lifeIfEqual(_ reader: ComponentReader) -> Int? {
        // References taken under the lock are given back outside of it.
        let (keyPaths, isWhole, life) = state.withLock { state -> ([AnyKeyPath], Bool, Int) in
            if let reader = state.reader { return (reader.keyPaths, true, state.life) }
            let keyPaths = state.keyPaths.compactMap { $0.take() }
            return (
                keyPaths, !keyPaths.isEmpty && keyPaths.count == state.keyPaths.count, state.life
            )
        }
        let isEqual = isWhole && keyPaths.elementsEqual(reader.keyPaths) { $0 === $1 || $0 == $1 }
        return isEqual ? life : nil
    }

    // MARK: - For the core

    static func of(_ component: UnsafePointer<obv_component>) -> Component {
        Unmanaged<Component>.fromOpaque(component.pointee.context!).takeUnretainedValue()
    }

    /// Nil for a thread that comes late: the observation for which it asks has been stopped
    /// meanwhile.
    var reader: ComponentReader? {
        state.withLock { $0.reader }
    }

    /// Notes that a late property of a class is known by this component.
    func isLate() {
        state.withLock { $0.isLate = true }
    }

    /// The reader, for an answer that the core remembers. Without a reader that answer is wrong, so
    /// the component is spoilt.
    var readerToRemember: ComponentReader? {
        state.withLock { state in
            if state.reader == nil {
                state.isSpoilt = true
            }
            return state.reader
        }
    }
}

extension Sequence<Component> {
    /// Ends one use of each.
    func leave() {
        for component in self { component.leave() }
    }
}

/// An unowned reference to a key path: the key path may die, but no other one gets its address.
struct IdleKeyPath: Equatable {
    private let address: UnsafeMutableRawPointer

    init(_ keyPath: AnyKeyPath) {
        address = Unmanaged.passUnretained(keyPath).toOpaque()
        obv_swift_unowned_retain(address)
    }

    func forget() {
        obv_swift_unowned_release(address)
    }

    var isGone: Bool { obv_swift_is_gone(address) }

    func isMemory(of keyPath: AnyKeyPath) -> Bool {
        address == Unmanaged.passUnretained(keyPath).toOpaque()
    }

    /// The key path, unless it is gone.
    func take() -> AnyKeyPath? {
        obv_swift_try_retain(address)
            ? Unmanaged<AnyKeyPath>.fromOpaque(address).takeRetainedValue() : nil
    }
}
