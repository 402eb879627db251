// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// Objects as the core sees them: by the address of their header word.
typealias HeaderPointer = UnsafeMutablePointer<obv_object>

extension ObservableHost {
    /// The object for the core, with a class. Cost: one load once it has one.
    var adopted: HeaderPointer {
        let header = _observationObject
        if !isAdopted {
            obv_object_adopt(header, ModelClasses.of(self))
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
    let table = UnsafeRawPointer(obv_class_table_of(obv_object_class(header)))
        .assumingMemoryBound(to: obv_swift_class.self)
    return Int(table.pointee.header)
}

/// The object of an adopted header, retained by the reference that is returned.
func object(of header: HeaderPointer) -> AnyObject {
    Unmanaged<AnyObject>.fromOpaque(objectAddress(of: header)).takeUnretainedValue()
}
