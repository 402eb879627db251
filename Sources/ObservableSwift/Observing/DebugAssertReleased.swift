// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Tells what the library still has of an object that should be gone: to ``ObservationDiagnostics``, a
/// report that it is alive, and one for each observation at it, through it and by it, with path, label,
/// file and line.
///
///     weak var gone = editor
///     editor = nil
///     debugAssertReleased(gone)
///
/// An observation keeps neither end, but a call that is scheduled keeps both until it has come, and its
/// report says so. A block keeps what it captures: what it is, only its line can tell.
///
/// - Parameters:
///   - object: nil: it is gone, and nothing is told.
///   - file: of the report that it is alive.
///   - line: of that report.
/// - Returns: whether it is gone.
///
/// Threads: as a read of the object's properties. Cost: O(all observations). In release builds of the
/// package nothing is told. Calls `obv_debug_each_left`.
@discardableResult
public func debugAssertReleased(
    _ object: AnyObject?, file: StaticString = #fileID, line: UInt = #line
) -> Bool {
    guard let object else { return true }
    let host = object as? any ObservableHost
    var remains = Remains(object, host?._observationObject)
    let status = withUnsafeMutablePointer(to: &remains) { remains in
        obv_debug_each_left(
            Context.shared,
            { remains, entry in
                remains!.assumingMemoryBound(to: Remains.self).pointee.note(entry.pointee)
            }, remains)
    }
    guard status != OBV_E_UNKNOWN else { return false }
    if let host {
        for entry in ObservationInspector(host).observers where !remains.isRoot(entry) {
            remains.note("a path leads through it", entry)
        }
    }
    ObservationDiagnostics.tell(
        .misuse,
        "an object that should be gone is alive: `\(type(of: object))`, with "
            + "\(remains.reports.count) observations",
        file: "\(file)", line: Int(line))
    for report in remains.reports {
        ObservationDiagnostics.tell(report)
    }
    return false
}

/// Collects reports on an object. They are told afterwards, when no code of the library runs.
private struct Remains {
    let name: String
    /// The address of the object, which names it as an observer, and of its header if it has one.
    let addresses: [UnsafeRawPointer]
    var reports: [ObservationDiagnostics.Report] = []

    init(_ object: AnyObject, _ header: HeaderPointer?) {
        name = "\(type(of: object))"
        let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        addresses = [address] + (header.map { [UnsafeRawPointer($0)] } ?? [])
    }

    func isRoot(_ entry: ObserverEntry) -> Bool {
        entry.root == UInt(bitPattern: addresses[0])
    }

    mutating func note(_ entry: obv_observer_entry) {
        if let observer = entry.observer, addresses.contains(observer) {
            note("it observes", ObserverEntry(entry))
        } else if let root = entry.root, addresses.contains(root) {
            note("it is observed", ObserverEntry(entry))
        }
    }

    mutating func note(_ what: String, _ entry: ObserverEntry) {
        reports.append(
            ObservationDiagnostics.Report(
                kind: .misuse,
                text: "`\(name)` is alive, and \(what)"
                    + (entry.isPending ? ", and a call that is scheduled keeps both ends" : ""),
                path: entry.path, label: entry.label, file: entry.file,
                line: entry.file.map { _ in entry.line }, error: nil))
    }
}
