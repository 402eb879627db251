// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// What went wrong without an answer: a path whose property the class does not have, calls
/// dropped with their loop, memory that was short.
///
/// Without a handler each is one line on standard error.
public enum ObservationDiagnostics {
    /// One diagnostic.
    public struct Report: Hashable, Sendable {
        /// What it is about.
        public enum Kind: Hashable, Sendable {
            /// A path leads through something that is no observable property.
            case unresolvedPath
            /// A path could not be followed for want of memory; it is tried again at the next
            /// change above it.
            case memory
            /// A loop was ended with calls scheduled; they are counted.
            case loopEnded
            /// Immediate blocks are nested 64 deep; no further one is called until the outermost
            /// has returned.
            case depth
            /// A manual trigger named another new value than the one that is stored, which wins.
            case trigger
            /// Two threads have changed models at the same time that are joined by an observed
            /// path, or one model. Told by debug builds alone, once for a pair of properties, on the
            /// thread that came second; the path names both.
            case overlap
            /// The blocks of a loop call each other without end: in 1,000 drains in a row every
            /// call was due to blocks of the drain before. The text names those called last. Told
            /// once, until a drain is otherwise; the drains go on.
            case endless
            /// An immediate block that is isolated to an actor was scheduled there, not called, since
            /// a change was made elsewhere. Told once a block.
            case waiting
            /// A text path can lead nowhere by the declared types, since a property on the way holds
            /// no object, say; or only if a subclass has a property that the declared class lacks,
            /// which the text says. The path is observed all the same. Told by debug builds, and where
            /// ``ObservationDiagnostics/checkPaths(_:)`` asks for it, once for each path that begins to
            /// be observed; ``TextPath/validate(for:)`` asks for one.
            case declaredTypes
            /// Computed properties need each other, each by its function; the path names them. A read
            /// gives the last valid value, or stops the program where there is none.
            case cycle
            /// The function of a computed property has set that property: what it has set is the
            /// value, not what it returned.
            case setInGetter
            /// A computed property reads something that it does not declare, or does not read what
            /// it declares; the path is the property, and what differs. Told once a property, where
            /// ``ObservationDiagnostics/checkDependencies(_:)`` asks for it.
            case dependency
            /// A binder has set nothing: what makes its values has failed, or a ring of binders
            /// makes different values of one set, or corrects one without end.
            case binder
            /// The library was used as it must not be, which would be silent: see the text. Told by
            /// debug builds alone.
            case misuse
            /// Something was refused that has no answer of its own: see the text.
            case refused
        }

        /// What it is about.
        public let kind: Kind
        /// A sentence in English.
        public let text: String
        /// The path as it was written.
        public let path: String?
        /// The observation's label.
        public let label: String?
        /// The file and the line of the call that began the observation; of one with a shared block
        /// (``ObservationBlock``), of that. Nil: it is about none.
        public let file: String?
        public let line: Int?
        /// What was refused; nil for the other kinds, and for what has no error.
        public let error: ObservationError?
    }

    private static let handler = Locked<(@Sendable (Report) -> Void)?>(nil)

    /// Sets who is told; nil: standard error. Called on the thread that found it, with no lock
    /// held; it may use the library.
    public static func setHandler(_ handler: (@Sendable (Report) -> Void)?) {
        // The old handler is released outside of the lock: its context may run code of the program.
        let old = self.handler.withLock { kept in
            let old = kept
            kept = handler
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// From now on, or no more: whenever the function of a computed property with declared
    /// dependencies has run, compares what it has read with what is declared, and tells of the first
    /// difference (``Report/Kind/dependency``). For tests and debug builds: it makes evaluations
    /// slow.
    ///
    /// Threads: any. Calls `obv_check_dependencies`.
    public static func checkDependencies(_ isChecked: Bool = true) {
        obv_check_dependencies(Context.shared, isChecked)
    }

    /// From now on, or no more: text paths are looked at by the declared types as they begin to be
    /// observed (``Report/Kind/declaredTypes``). Debug builds begin with it.
    ///
    /// Threads: any. Calls `obv_check_paths`.
    public static func checkPaths(_ isChecked: Bool = true) {
        obv_check_paths(Context.shared, isChecked)
    }

    static func tell(_ report: Report) {
        if let handler = handler.withLock({ $0 }) {
            handler(report)
        } else {
            printToStandardError(report)
        }
    }

    static func tell(
        _ kind: Report.Kind, _ text: String, path: String? = nil, label: String? = nil,
        file: String? = nil, line: Int? = nil, error: ObservationError? = nil
    ) {
        tell(
            Report(
                kind: kind, text: text, path: path, label: label, file: file, line: line,
                error: error))
    }

    /// Reports a refusal.
    package static func tellRefused(_ error: ObservationError, path: String? = nil) {
        tell(.refused, error.message, path: path, error: error)
    }

    /// Reports the refusal of an observation.
    static func tellRefused(
        _ error: ObservationError, of configuration: ObservationConfiguration
    ) {
        configuration.tell(
            .refused, error.message, path: error.path.isEmpty ? nil : error.path, error)
    }

    /// Runs `body`, and reports the error that it throws: for calls that cannot throw themselves.
    static func tellingRefused(
        _ path: String? = nil, _ body: () throws(ObservationError) -> Void
    ) {
        do {
            try body()
        } catch {
            tellRefused(error, path: path)
        }
    }

    static func tell(_ diagnostic: obv_diagnostic) {
        if diagnostic.kind == OBV_DIAGNOSTIC_CYCLE {
            Cycles.note(diagnostic.path.map { String(cString: $0) } ?? "")
        }
        tell(
            Report.Kind(diagnostic.kind), String(cString: diagnostic.text),
            path: diagnostic.path.map { String(cString: $0) },
            label: diagnostic.label.map { String(cString: $0) },
            file: diagnostic.file.map { String(cString: $0) },
            line: diagnostic.file.map { _ in Int(diagnostic.line) })
    }

    static func printToStandardError(_ report: Report) {
        var line = "ObservableSwift: \(report.text)"
        if let path = report.path { line += ": \"\(escaped(path))\"" }
        if let label = report.label { line += " [\(escaped(label))]" }
        if let file = report.file, let number = report.line {
            line += " (\(escaped(file)):\(number))"
        }
        var output = StandardError()
        print(line, to: &output)
    }
}

extension ObservationDiagnostics.Report.Kind {
    fileprivate init(_ kind: obv_diagnostic_kind) {
        switch kind {
        case OBV_DIAGNOSTIC_MEMORY: self = .memory
        case OBV_DIAGNOSTIC_LOOP_DESTROYED: self = .loopEnded
        case OBV_DIAGNOSTIC_DEPTH: self = .depth
        case OBV_DIAGNOSTIC_TRIGGER: self = .trigger
        case OBV_DIAGNOSTIC_OVERLAP: self = .overlap
        case OBV_DIAGNOSTIC_ENDLESS: self = .endless
        case OBV_DIAGNOSTIC_DECLARED: self = .declaredTypes
        case OBV_DIAGNOSTIC_CYCLE: self = .cycle
        case OBV_DIAGNOSTIC_SET_IN_GETTER: self = .setInGetter
        case OBV_DIAGNOSTIC_DEPENDENCY: self = .dependency
        case OBV_DIAGNOSTIC_BINDER: self = .binder
        case OBV_DIAGNOSTIC_MISUSE: self = .misuse
        default: self = .unresolvedPath
        }
    }
}

/// What the library has counted since the program began; exact once all threads are at rest.
public struct ObservationCounters: Hashable, Sendable {
    /// Delayed blocks called by drains.
    public let called: Int
    /// Changes that a block has made for itself, or that ``ObservationOptions/ignoresRestOfDrain`` leaves out, and
    /// calls scheduled on, or due for, a loop that has ended.
    public let dropped: Int
    /// Diagnostics told.
    public let diagnostics: Int
    /// Observations that are registered, or whose handle is kept.
    public let observations: Int

    /// Read now. Threads: any.
    public static var current: ObservationCounters {
        var counters = obv_counters()
        obv_context_counters(Context.shared, &counters)
        return ObservationCounters(
            called: Int(counters.called), dropped: Int(counters.dropped),
            diagnostics: Int(counters.diagnostics), observations: Int(counters.observations))
    }
}
