// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Records which observed property a piece of code reads first on this thread, and how many reads
/// there are.
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

    /// Runs `body`, and hides its reads from every recorder further out.
    static func ignored<Value>(_ body: () -> Value) -> Value {
        var value: Value!
        _ = of { value = body() }
        return value
    }

    /// Whether the innermost recorder of this thread finds dependencies, as during an evaluation.
    /// Then every object that is read needs a class.
    static var areRecordedByClass: Bool { obv_detail_reads_receiver()?.pointee.read_slot != nil }

    /// Whether the innermost recorder of this thread is a `Reads`. Then a getter runs only to show
    /// which property it reads, and its value does not matter.
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

    /// The kind of the field that was read. A getter has reported its wrapper's type. The core
    /// reports no type for a read by path, but then the object's class knows the property.
    private func kind(of header: HeaderPointer) -> UnsafePointer<obv_value_kind>? {
        if let storage = storage as? any ObservedStorage.Type {
            return ValueKinds.kind(of: storage) { storage.makeAccess() }
        }
        return storage == nil ? ModelClasses.property(at: offset, of: header)?.custom : nil
    }

    /// Whether there was exactly one read, of this object.
    func areOnly(of header: HeaderPointer) -> Bool { count == 1 && object == header }

    /// The field that was read, if there was exactly one read, of this object.
    func onlyField(of header: HeaderPointer, named name: String) -> Field? {
        guard areOnly(of: header), let kind = kind(of: header) else { return nil }
        let field = Field(name: name, offset: Int(offset), kind: kind)
        // A field of no bytes has the offset of the next field, and must not be taken for that one.
        return field.size > 0 ? field : nil
    }
}
