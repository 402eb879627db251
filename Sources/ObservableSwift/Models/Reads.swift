// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The first reads of observed properties that a piece of code does on this thread.
struct Reads {
    private var reader = obv_detail_reader(
        read: { reader, object, offset, what in
            UnsafeMutableRawPointer(reader).assumingMemoryBound(to: Reads.self)
                .pointee.add(object, offset, what)
        }, hidden: obv_detail_hidden(), read_slot: nil)
    private(set) var count = 0
    private(set) var object: HeaderPointer?
    private(set) var offset: UInt32 = 0
    /// The type of the wrapper that was read.
    private(set) var storage: Any.Type?

    /// Records what `body` reads.
    static func of(_ body: () -> Void) -> Reads {
        var reads = Reads()
        withUnsafeMutablePointer(to: &reads) { reads in
            let reader = UnsafeMutableRawPointer(reads)
                .assumingMemoryBound(to: obv_detail_reader.self)
            obv_detail_reads_begin(reader)
            body()
            obv_detail_reads_end(reader)
        }
        return reads
    }

    /// What `body` returns; what it reads is told to nobody further out.
    static func ignored<Value>(_ body: () -> Value) -> Value {
        var value: Value!
        _ = of { value = body() }
        return value
    }

    /// Whether something is computed on this thread: what it reads needs a class.
    static var areRecordedByClass: Bool { obv_detail_reads_receiver()?.pointee.read_slot != nil }

    /// Whether the reads of this thread are recorded by one of these, which asks which property is
    /// read, and not for its value.
    static var areRecorded: Bool {
        guard let reader = obv_detail_reads_receiver() else { return false }
        return reader.pointee.read_slot == nil
    }

    private mutating func add(
        _ object: HeaderPointer, _ offset: UInt32, _ what: UnsafeRawPointer?
    ) {
        count += 1
        if count == 1 {
            self.object = object
            self.offset = offset
            storage = what.map { unsafeBitCast($0, to: Any.Type.self) }
        }
    }

    /// That of the field that was read: a getter says its wrapper's type, the core (a read by path)
    /// nothing, but the class of what it reads has the property.
    private func kind(of header: HeaderPointer) -> UnsafePointer<obv_value_kind>? {
        if let storage = storage as? any ObservedStorage.Type {
            return ValueKinds.kind(of: storage) { storage.makeAccess() }
        }
        return storage == nil ? ModelClasses.property(at: offset, of: header)?.custom : nil
    }

    /// Whether this object was read, once, and no other.
    func areOnly(of header: HeaderPointer) -> Bool { count == 1 && object == header }

    /// The field that was read, if it was one of this object, once.
    func onlyField(of header: HeaderPointer, named name: String) -> Field? {
        guard areOnly(of: header), let kind = kind(of: header) else { return nil }
        let field = Field(name: name, offset: Int(offset), kind: kind)
        // One of no bytes lies where the next one does, and is not to be taken for it.
        return field.size > 0 ? field : nil
    }
}
