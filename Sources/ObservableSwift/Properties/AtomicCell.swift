// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// Keeps the value of an ``ObservedAtomic`` property. The value needs a cell of its own, since only
/// a modification gives the address of a stored property, and two threads may not modify it at
/// once.
///
/// A trivial value of up to 8 bytes is one atomic word. Any other value is kept under a lock, with
/// a version. The lock is held only to copy or exchange the value, and never while code of the
/// program runs.
@usableFromInline
final class AtomicCell<Value: Sendable>: Sendable {
    private let bits: Atomic<UInt64>
    private let kept: Locked<Kept>
    /// The offset of the property in its object; 0 until it was looked for.
    private let offset = Atomic<UInt32>(0)

    private struct Kept {
        var value: Value?
        var version: UInt64 = 0
    }

    @usableFromInline
    init(_ value: Value) {
        bits = Atomic(Self.fitsWord ? Self.word(of: value) : 0)
        kept = Locked(Kept(value: Self.fitsWord ? nil : value))
    }

    @usableFromInline
    func load() -> Value {
        if Self.fitsWord {
            return Self.value(of: bits.load(ordering: .sequentiallyConsistent))
        }
        return kept.withLock { $0.value! }
    }

    /// Stores a value, and returns the value before. Sequentially consistent, so that the caller's
    /// look for observers comes after the store.
    func exchange(_ value: Value) -> Value {
        if Self.fitsWord {
            let word = Self.word(of: value)
            return Self.value(of: bits.exchange(word, ordering: .sequentiallyConsistent))
        }
        let old = kept.withLock { kept in
            kept.version += 1
            return exchangeValues(&kept.value, value)
        }
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return old!
    }

    /// Changes the value by `change`, which runs again until no other thread has set the value in
    /// between. Returns the values before and after.
    func update(_ change: (inout Value) -> Void) -> (old: Value, new: Value) {
        while true {
            let (old, version) = loadVersion()
            var new = old
            change(&new)
            if replace(old, version, by: new) {
                atomicMemoryFence(ordering: .sequentiallyConsistent)
                return (old, new)
            }
        }
    }

    private func loadVersion() -> (Value, UInt64) {
        if Self.fitsWord {
            let word = bits.load(ordering: .sequentiallyConsistent)
            return (Self.value(of: word), word)
        }
        return kept.withLock { ($0.value!, $0.version) }
    }

    private func replace(_ old: Value, _ version: UInt64, by new: Value) -> Bool {
        if Self.fitsWord {
            return bits.compareExchange(
                expected: version, desired: Self.word(of: new),
                ordering: .sequentiallyConsistent
            ).exchanged
        }
        // The caller holds `old`, so the store releases nothing under the lock.
        return kept.withLock { kept in
            guard kept.version == version else { return false }
            kept.version += 1
            kept.value = new
            return true
        }
    }

    /// A number that changes whenever another value is stored: the word, or the version.
    var stamp: UInt64 {
        Self.fitsWord
            ? bits.load(ordering: .sequentiallyConsistent) : kept.withLock { $0.version }
    }

    /// The offset of the property whose field is a reference to this cell.
    func offset(in header: UnsafeMutablePointer<obv_object>) -> UInt32 {
        let known = offset.load(ordering: .relaxed)
        if known != 0 {
            return known
        }
        let cell = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let found = offsetOfAtomicProperty(holding: cell, in: header)
        offset.store(found, ordering: .relaxed)
        return found
    }

    // MARK: - Words

    private static var fitsWord: Bool {
        _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size
    }

    private static func word(of value: Value) -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { word in
            withUnsafeBytes(of: value) { word.copyMemory(from: $0) }
        }
        return word
    }

    private static func value(of word: UInt64) -> Value {
        withUnsafeBytes(of: word) { $0.load(as: Value.self) }
    }
}

private func exchangeValues<Value>(_ place: inout Value, _ value: Value) -> Value {
    let old = place
    place = value
    return old
}
