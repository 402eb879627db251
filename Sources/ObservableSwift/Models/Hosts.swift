// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The address of an object's header word, by which the core knows the object.
typealias HeaderPointer = UnsafeMutablePointer<obv_object>

extension ObservableHost {
    /// The object's header, after the object has been given a class. Cost: one load if it has a
    /// class already.
    ///
    /// - Throws: ``ObservationError`` of kind `memory`: the first object of a class makes the
    ///   class.
    func adopt() throws(ObservationError) -> HeaderPointer {
        let header = _observationObject
        if !isAdopted {
            (self as? ObservableContainer)?.prepare()
            obv_object_adopt(header, try ModelClasses.of(self))
        }
        return header
    }

    /// The header of an object that changes. A change cannot be refused, so a lack of memory is
    /// reported, and nil is returned. Then class-level observations of superclasses are not called
    /// for the object.
    var adoptedInChange: HeaderPointer? {
        do {
            return try adopt()
        } catch {
            ObservationDiagnostics.tell(
                .memory, "an object of \(type(of: self)) could not be followed for want of memory",
                error: error)
            return nil
        }
    }

    /// The header of an object that the core has reached along a path; nil for want of memory,
    /// which the core reports, with the paths that lead through the object.
    var adoptedAsChild: HeaderPointer? {
        guard let header = try? adopt() else {
            obv_detail_report_no_memory()
            return nil
        }
        return header
    }

    var isAdopted: Bool { _observationWord != wordWithoutClass }

    /// The header word, read after a store that any thread may make. Sequentially consistent:
    /// either an observation that begins sees the new value, or this load sees the observation.
    var _observationWordAfterStore: UInt {
        observation.word.load(ordering: .sequentiallyConsistent)
    }

    /// The bytes from the object to its header.
    var headerOffset: Int {
        UnsafeRawPointer(_observationObject) - UnsafeRawPointer(objectAddress)
    }

    var objectAddress: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }
}

/// The header word of an object that the library has never met.
private let wordWithoutClass: UInt = 1

/// The Swift object of an adopted header, not retained.
func objectAddress(of header: HeaderPointer) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(header) - headerOffset(of: header)
}

func headerOffset(of header: HeaderPointer) -> Int {
    Int(obv_swift_header_offset(obv_class_table_of(obv_object_class(header))))
}

/// The object of an adopted header, retained by the reference that is returned.
func object(of header: HeaderPointer) -> AnyObject {
    Unmanaged<AnyObject>.fromOpaque(objectAddress(of: header)).takeUnretainedValue()
}
