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
    public func trigger<Value>(
        _ storage: ReferenceWritableKeyPath<Self, Observed<Value>>, old: Value
    ) {
        let word = _observationWord
        if obv_detail_may_observe(word) {
            let field = withUnsafeMutablePointer(to: &self[keyPath: storage]._value) { $0 }
            let offset = _offset(of: field, in: self)
            if obv_detail_may_be_first() || obv_detail_may_watch(word, offset) {
                _mutated(
                    _met(self, word), offset, field, .some(old), ByDeclaredType<Value>.self,
                    isInPlace: false)
            }
        }
    }

    @inlinable @inline(__always)
    public func trigger<Policy: ObservationPolicy>(
        _ storage: ReferenceWritableKeyPath<Self, ObservedAs<Policy>>, old: Policy.Value
    ) {
        let word = _observationWord
        if obv_detail_may_observe(word) {
            let field = withUnsafeMutablePointer(to: &self[keyPath: storage]._value) { $0 }
            let offset = _offset(of: field, in: self)
            if obv_detail_may_be_first() || obv_detail_may_watch(word, offset) {
                _mutated(
                    _met(self, word), offset, field, .some(old), Policy.self, isInPlace: false)
            }
        }
    }
}
