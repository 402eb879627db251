// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// Objects as the core sees them: by the address of their header word.
typealias HeaderPointer = UnsafeMutablePointer<obv_object>

extension ObservableHost {
    /// The object for the core, with a class. Cost: one load once it has one.
    ///
    /// - Throws: ``ObservationError`` of kind `memory`: the first object of a class makes that.
    func adopt() throws(ObservationError) -> HeaderPointer {
        let header = _observationObject
        if !isAdopted {
            (self as? ObservableContainer)?.prepare()
            obv_object_adopt(header, try ModelClasses.of(self))
        }
        return header
    }

    /// The same of an object that changes, which cannot be refused. Nil is told: then who observes
    /// every instance of a class above its own is not called for it.
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

    /// The same of an object that the core has come to along a path. Nil is told by the core, with the
    /// paths that lead through it.
    var adoptedAsChild: HeaderPointer? {
        guard let header = try? adopt() else {
            obv_detail_report_no_memory()
            return nil
        }
        return header
    }

    var isAdopted: Bool { _observationWord != wordWithoutClass }

    /// The header word, read after a store that any thread may make: whoever observed before sees
    /// the value, or we see the observation.
    var _observationWordAfterStore: UInt {
        observation.word.load(ordering: .sequentiallyConsistent)
    }

    /// Bytes from the object to its header.
    var headerOffset: Int {
        UnsafeRawPointer(_observationObject) - UnsafeRawPointer(objectAddress)
    }

    var objectAddress: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }
}

/// The header word of an object that has met the library never.
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
