// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Why a block was called, and why it was not: what the library does, told as it happens.
///
///     OBV_TRACE=1 ./program             a line an event on standard error
///     OBV_TRACE=trace.json ./program    a file for Perfetto and chrome://tracing
///     OBV_TRACE=summary ./program       at the end, what each observation has cost
///     OBV_TRACE=ring ./program          the last lines, for a debugger
///
/// The environment switches that on in each program; what is here does it inside of one. A line tells of
/// a set, equal or not, observed or not; of each observation that is due for it, with the property that was
/// set, also behind computed ones, and the line that has set it (``withObservationCause(file:line:_:)``); of
/// calls, and of those that a drain did not make; of computations, and of tokens that nobody keeps:
///
///     thread 1: User 0x5566a9abf950 age changed
///     thread 1: due: #3 "age" age (main.swift:14), by User 0x5566a9abf950 age
///     thread 1: drain
///     thread 1: call: #3 "age" age (main.swift:14)
///
/// `#3` is the number of the observation. What a block sets, or a binder, stands between its `call` and its
/// `return` on one thread. The C header `observable/trace.h` says what each event means.
///
/// While nothing of this is on, a computation asks whether it is, and all else costs nothing. On, each set
/// takes some hundred nanoseconds more, and what the receiver takes. Threads: any, at any time.
public enum ObservationTrace {
    package typealias Receiver = @Sendable (UnsafePointer<obv_trace_event>) -> Void
    /// The owner of a receiver. There are two at most: the program's, and that of another product.
    package enum Side { case program, product }

    private static let receivers = Locked<[Side: Receiver]>([:])

    /// Sets who is told each line; nil: nobody. Called on the thread of the event, with no lock held,
    /// between the steps of a change: it is to look, and what it sets itself is not told.
    ///
    /// Calls `obv_trace`.
    public static func setHandler(_ handler: (@Sendable (String) -> Void)?) {
        guard let handler else { return setReceiver(of: .program, nil) }
        setReceiver(of: .program) { handler(line($0)) }
    }

    /// Sets the receiver of each event; nil: there is none. A receiver is called as a handler is,
    /// and borrows the event for the call.
    package static func setReceiver(of side: Side, _ receiver: Receiver?) {
        // The old receiver is released outside of the lock: its context may run code of the
        // program.
        let old = receivers.withLock { kept in
            let old = kept[side]
            kept[side] = receiver
            // Under the lock, so that the core and `receivers` agree if two threads come at once.
            obv_trace(kept.isEmpty ? nil : { ObservationTrace.tell($0) })
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Writes events from here on into a file, which is made anew, as trace events in JSON. Perfetto and
    /// chrome://tracing open it, also that of a program that has crashed.
    ///
    /// - Parameter file: its name; `"1"`: lines on standard error; `"summary"`: the calls, drops and
    ///   milliseconds of each label and line, and of each computed property, printed there at the end;
    ///   `"ring"`: the last 64 KiB of lines are kept, for `obv_trace_print_ring()` at the prompt of a
    ///   debugger; nil: nothing is written any more.
    /// - Throws: the file cannot be made. A write that fails later is told on standard error once.
    ///
    /// Calls `obv_trace_to`.
    public static func write(to file: String?) throws(ObservationError) {
        let status = obv_trace_to(file)
        if status != OBV_OK {
            throw ObservationError(
                .argument, "the trace file \(escaped(file ?? "")) cannot be made")
        }
    }

    /// Stops in the debugger that is attached, before the block of each observation with this label is
    /// called; without one a line on standard error says so. One label at a time, of at most 127 bytes; nil:
    /// none.
    ///
    /// Calls `obv_debug_break_before_call`.
    public static func breakBeforeCall(_ label: StaticString?) {
        let status =
            label.map { obv_debug_break_before_call(String(describing: $0)) }
            ?? obv_debug_break_before_call(nil)
        if status != OBV_OK {
            ObservationDiagnostics.tellRefused(
                ObservationError(.limit, "a label to break before has at most 127 bytes"))
        }
    }

    private static func tell(_ event: UnsafePointer<obv_trace_event>) {
        for receiver in receivers.withLock({ $0 }).values {
            receiver(event)
        }
    }

    private static func line(_ event: UnsafePointer<obv_trace_event>) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            _ = obv_trace_line(event, buffer.baseAddress, buffer.count)
            return String(cString: buffer.baseAddress!)
        }
    }
}

extension ObservationSequence {
    /// Stops in the debugger that is attached, when what a path leads to changes: inside the set, so that
    /// the backtrace shows who has set it.
    ///
    ///     user.changes(of: \.address?.zipCode).named("zip").debugBreakOnChange()
    ///
    /// Before, a line on standard error says the path, the label, the old and the new value. The path follows
    /// objects that are replaced on it. In a process without a debugger the line says so, and the program
    /// goes on. An immediate observation like any other; it ends by its handle, or with its object.
    ///
    /// Calls `obv_debug_stop`.
    @discardableResult
    public func debugBreakOnChange<Root, Value>() -> ObservationHandle
    where Element == ObservedChange<Root, Value> {
        let configuration = source.configuration
        let label = configuration.label.map { " \"\($0)\"" } ?? ""
        return options(configuration.options.union(.immediate)).tell(BreakPoint.observer) {
            _, change in
            let old = shown(change.old, change.wasReachable)
            let new = shown(change.new, change.isReachable)
            obv_debug_stop(escaped("\(change.path)\(label) from \(old) to \(new)"))
        }
    }
}

private func shown<Value>(_ value: Value?, _ isReachable: Bool) -> String {
    isReachable ? value.map { String(reflecting: $0) } ?? "nil" : "none"
}

/// The observer of all break points. It lives for ever.
private final class BreakPoint: Sendable {
    static let observer = BreakPoint()
}
