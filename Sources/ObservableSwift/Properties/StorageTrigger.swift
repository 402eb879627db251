// SPDX-License-Identifier: Apache-2.0

public import CObservable

// Triggers by the storage of a property, which the class alone can see.

extension ObservableHost {
    /// Tells of a value that was written past the setter, as a trigger by path does, for the
    /// class's own code: by the storage of the property, which only the class can see, at the cost
    /// of a set.
    ///
    ///     @Observed private var storedSpeed = 0.0
    ///
    ///     var speed: Double {
    ///         get { storedSpeed }
    ///         set {
    ///             let old = _storedSpeed.unobserved
    ///             _storedSpeed.unobserved = min(newValue, limit)
    ///             trigger(\._storedSpeed, old: old)
    ///         }
    ///     }
    @inlinable @inline(__always)
    public func trigger<Storage: _PolicyWrapper>(
        _ storage: ReferenceWritableKeyPath<Self, Storage>, old: Storage._Value
    ) {
        let word = _observationWord
        if obv_detail_may_observe(word) {
            let field = withUnsafeMutablePointer(to: &self[keyPath: storage]) {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: Storage._Value.self)
            }
            let offset = _offset(of: field, in: self)
            if obv_detail_may_be_first() || obv_detail_may_watch(word, offset) {
                _mutated(
                    _met(self, word), offset, field, .some(old), Storage._Policy.self,
                    isInPlace: false)
            }
        }
    }
}

/// ``Observed`` and ``ObservedAs``: a wrapper in which the value lies, and nothing else, and how that is
/// compared.
public protocol _PolicyWrapper: _ValueWrapper {
    associatedtype _Policy: ObservationPolicy where _Policy.Value == _Value
}

extension Observed: _PolicyWrapper {
    public typealias _Policy = _ByDeclaredType<Value>
}

extension ObservedAs: _PolicyWrapper {
    public typealias _Policy = Policy
}
