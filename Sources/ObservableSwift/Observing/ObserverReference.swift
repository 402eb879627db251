// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

// The core's names of observers that are no observable objects, and the functions by which it
// retains them.

#if canImport(ObjectiveC)
    import ObjectiveC

    // Not run here: there is no Apple platform. What a person with a Mac looks at is this file, and
    // try_retain_any() in ObservableRuntime.c. An `NSObject` that observes is called, is found by a stop,
    // and lets its observations end with it, also while a call is scheduled.

    /// Names an observer by the address of this object, which refers to the observer weakly and is
    /// associated with it. The observer's own address is no name, since nothing keeps the memory of
    /// an Objective-C object.
    final class ObserverReference: @unchecked Sendable {
        private weak var object: AnyObject?

        private static let making = Locked<Void>(())
        /// The address that serves as the key of the associated object.
        nonisolated(unsafe) private static let key = UnsafeMutableRawPointer.allocate(
            byteCount: 1, alignment: 1)

        private init(_ object: AnyObject) {
            self.object = object
        }

        private static func of(_ object: AnyObject) -> ObserverReference? {
            objc_getAssociatedObject(object, key) as? ObserverReference
        }

        private static func at(_ address: UnsafeMutableRawPointer?) -> ObserverReference {
            Unmanaged.fromOpaque(address!).takeUnretainedValue()
        }

        /// The name of an object, which may be at its end. For an object that was never kept, the
        /// result is the name of none.
        static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
            Unmanaged.passUnretained(of(object) ?? object).toOpaque()
        }

        /// The observer that is named so, which the caller holds.
        ///
        /// - Parameter headerOffset: of an observable object, which its header's address names; 0: of
        ///   another.
        static func object<Object: AnyObject>(
            at address: UnsafeMutableRawPointer, headerOffset: Int
        ) -> Unmanaged<Object> {
            if headerOffset > 0 { return .fromOpaque(address - headerOffset) }
            return .passUnretained(unsafeDowncast(at(address).object!, to: Object.self))
        }

        /// Keeps the name of an object, not the object.
        static func keep(_ object: AnyObject) {
            let reference = making.withLock { _ in
                if let known = of(object) { return known }
                let made = ObserverReference(object)
                objc_setAssociatedObject(object, key, made, .OBJC_ASSOCIATION_RETAIN)
                return made
            }
            _ = Unmanaged.passRetained(reference)
        }

        static func forget(_ address: UnsafeMutableRawPointer) {
            Unmanaged<ObserverReference>.fromOpaque(address).release()
        }

        static func describe(_ kind: inout obv_handler_kind) {
            kind.retain = { address in
                guard let object = ObserverReference.at(address).object else { return false }
                _ = Unmanaged.passRetained(object)
                return true
            }
            kind.release = { address in
                Unmanaged.passUnretained(ObserverReference.at(address).object!).release()
            }
            kind.gone = { address in ObserverReference.at(address).object == nil }
        }
    }
#else
    /// Names an observer by its own address, and holds it by an unowned reference, which only keeps
    /// its memory.
    enum ObserverReference {
        static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
            Unmanaged.passUnretained(object).toOpaque()
        }

        /// The observer that is named so, which the caller holds.
        ///
        /// - Parameter headerOffset: of an observable object, which its header's address names; 0: of
        ///   another.
        @inline(__always)
        static func object<Object: AnyObject>(
            at address: UnsafeMutableRawPointer, headerOffset: Int
        ) -> Unmanaged<Object> {
            .fromOpaque(address - headerOffset)
        }

        /// Keeps the name of an object, not the object.
        static func keep(_ object: AnyObject) {
            obv_swift_unowned_retain(address(of: object))
        }

        static func forget(_ address: UnsafeMutableRawPointer) {
            obv_swift_unowned_release(address)
        }

        static func describe(_ kind: inout obv_handler_kind) {
            kind.retain = obv_swift_try_retain
            kind.release = obv_swift_release
            kind.gone = obv_swift_is_gone
        }
    }
#endif
