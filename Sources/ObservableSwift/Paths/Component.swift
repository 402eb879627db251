// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The core's `struct obv_component` of one component of a typed path, and who reads it.
///
/// The struct stays for good, since the core knows components by their address and remembers what
/// they are on each class; the reader, and with it each value that its key paths have captured,
/// stays only while the component is in use. Of equal ones the first that is asked for stands for
/// all.
///
/// Nothing public says whether a key path captures. So nothing asks: between uses a component
/// keeps of its key paths no more than their memory. A literal that captures nothing is made once
/// and lives for ever, and so does its component. One that captures is made anew each time it is
/// evaluated, and dies with who holds it; then the component has ended, and its struct waits for
/// one that is the same to the core.
final class Component: @unchecked Sendable {
    private(set) var pointer: UnsafeMutablePointer<obv_component>!
    let likeness: Likeness
    private let state = Locked<State>(State())

    /// What two components have in common that the core need not tell apart: what it remembers of
    /// one is right for the other.
    struct Likeness: Hashable, @unchecked Sendable {
        /// Of views: the property's component, whatever they read of its value.
        let property: ObjectIdentifier?
        /// Of properties: the key path's hash. A subscript of an object whose argument has a hash
        /// that leaves out what makes it another property is the error of that hash.
        let hash: Int
        let text: UnsafePointer<CChar>
    }

    private struct State {
        var reader: ComponentReader?
        var uses = 0
        var keyPaths: [IdleKeyPath] = []
        var hasEnded = true
        /// How often it has begun: it may have become another since it was compared, or the same
        /// once more.
        var life = 0
        /// The core may remember a wrong answer: it is not used any more.
        var isSpoilt = false
        /// A property of a class is told by it (``LateProperties``), so it has one life.
        var isLate = false
    }

    /// One that nobody uses yet.
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

    /// Begins with the first use.
    ///
    /// - Returns: which of its lives this is; nil if the core may remember something wrong of it.
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

    /// One use more in a life that goes on, if the reader is equal, which runs `==` of what is
    /// captured.
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

    /// One use less.
    func leave() {
        let reader = state.withLock { state in
            state.uses -= 1
            defer {
                if state.uses == 0 { state.reader = nil }
            }
            return state.uses == 0 ? state.reader : nil
        }
        // What it captured may end here, with code of the program.
        withExtendedLifetime(reader) {}
    }

    /// Ends a life in which it is not in use and will not be asked for any more: its key paths are
    /// gone.
    ///
    /// - Returns: true once.
    func endIfGone(in life: Int) -> Bool {
        end { $0.life == life && ($0.isSpoilt || $0.keyPaths.contains(where: \.isGone)) }
    }

    /// Ends what is not in use; true once.
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

    /// The life in which it is equal to a reader.
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

    /// Nil where a thread is late: whatever it asked for has been stopped meanwhile.
    var reader: ComponentReader? {
        state.withLock { $0.reader }
    }

    /// Its property is one of a class's, told by this component.
    func isLate() {
        state.withLock { $0.isLate = true }
    }

    /// The same, for an answer that the core remembers.
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
    /// One use less of each.
    func leave() {
        for component in self { component.leave() }
    }
}

/// A key path that may die: its memory is kept, not what it has captured.
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
