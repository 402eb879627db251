// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// A block as the core calls it: the `struct obv_handler_kind` and what it needs. Each observation
/// has one, or all observations that share an ``ObservationBlock``.
///
/// The kind's address is the block's identity. Each observation keeps its handler until the core
/// disposes of it.
class Handler: @unchecked Sendable {
    /// The kind stands first, so that the core's pointer to the kind is one to the record.
    struct Record {
        var kind: obv_handler_kind
        unowned(unsafe) let handler: Handler
    }

    let record: UnsafeMutablePointer<Record>
    let configuration: ObservationConfiguration
    /// What its observers are to the core.
    let form: ObserverForm
    private let noticePlace: NoticePlace?
    private let used = Locked<Used>(Used())

    /// Resources that its observations share.
    private struct Used: @unchecked Sendable {
        var observations = 0
        /// The components of their paths, each once and with one use. They are given back when the
        /// last observation ends.
        var components: [ObjectIdentifier: Component] = [:]
    }

    var kind: UnsafePointer<obv_handler_kind> {
        UnsafeRawPointer(record).assumingMemoryBound(to: obv_handler_kind.self)
    }

    /// - Parameter noticePlace: where the observer may be told of deaths; nil: it is not told, or
    ///   may be told anywhere.
    init(
        _ configuration: ObservationConfiguration, _ form: ObserverForm, noticePlace: NoticePlace?
    ) {
        self.configuration = configuration
        self.form = form
        self.noticePlace = noticePlace
        record = .allocate(capacity: 1)
        var kind = obv_handler_kind(
            changed: { observer, root, call in
                Handler.of(call.pointee.kind).call(observer, root, call)
            },
            retain: nil, release: nil, gone: nil, dispose: nil,
            label: configuration.label.map(constant),
            flags: OBV_KIND_IS_OF_CALL.rawValue,
            line: UInt32(clamping: configuration.source.line),
            file: path(configuration.source.file),
            root_did_deallocate: nil, notice_context: nil, forget: nil)
        form.describe(&kind)
        kind.notice_context = self.noticePlace.map { Unmanaged.passUnretained($0).toOpaque() }
        record.initialize(to: Record(kind: kind, handler: self))
    }

    deinit {
        used.withLock { $0.components }.values.leave()
        record.deinitialize(count: 1)
        record.deallocate()
    }

    static func of(_ kind: UnsafePointer<obv_handler_kind>) -> Handler {
        UnsafeRawPointer(kind).assumingMemoryBound(to: Record.self).pointee.handler
    }

    /// Calls the block. Both ends are alive; there may be no root where a class is observed.
    func call(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        fatalError("abstract")
    }
}

/// The path of a source file as the compiler writes it; nil if it is a single character.
private func path(_ file: StaticString) -> UnsafePointer<CChar>? {
    file.hasPointerRepresentation ? constant(file) : nil
}

/// A text of the program for the core, which keeps it by its address.
func constant(_ text: StaticString) -> UnsafePointer<CChar> {
    precondition(text.hasPointerRepresentation, "a label is a text, not one character")
    return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// The place in the program that made an observation.
struct SourceLocation: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    var description: String { "\(file):\(line)" }
}

/// The kind of observer, which decides how the core names and holds it.
enum ObserverForm: Equatable {
    /// There is no observer: a token's observation.
    case none
    /// An observable object, which the core knows by its header. Its observations end with it.
    case host(headerOffset: Int, isDeallocationAware: Bool)
    /// Any other object (``ObserverReference``).
    case object(isDeallocationAware: Bool)

    /// - Parameter begins: false: the observer is only looked for, so its class need not be known.
    init(_ observer: AnyObject, begins: Bool = true) {
        if let model = observer as? ObservableModel {
            self = .host(
                headerOffset: model.headerOffset,
                isDeallocationAware: begins && ModelClasses.adoptObserver(model))
        } else if let isDeallocationAware = ObserverTypeCache.isDeallocationAware(
            type(of: observer))
        {
            self = .object(isDeallocationAware: isDeallocationAware)
        } else if let host = observer as? any ObservableHost {
            self = .host(
                headerOffset: host.headerOffset,
                isDeallocationAware: begins && ModelClasses.adoptObserver(host))
        } else {
            self = .object(isDeallocationAware: ObserverTypeCache.insert(type(of: observer)))
        }
    }

    /// Whether the observer is told of the deaths of roots.
    var isDeallocationAware: Bool {
        switch self {
        case .none: return false
        case .host(_, let isAware), .object(let isAware): return isAware
        }
    }

    fileprivate func describe(_ kind: inout obv_handler_kind) {
        switch self {
        case .none:
            kind.dispose = { kind, _ in Handler.release(kind) }
        case .host:
            kind.flags |= OBV_OBSERVER_IS_OBJECT.rawValue
            kind.retain = obv_swift_try_retain_observer
            kind.release = obv_swift_release_observer
            kind.dispose = { kind, _ in Handler.release(kind) }
        case .object(isDeallocationAware: false):
            ObserverReference.describe(&kind)
            kind.dispose = { kind, observer in
                Handler.release(kind)
                ObserverReference.forget(observer!)
            }
        case .object(isDeallocationAware: true):
            ObserverReference.describe(&kind)
            // The block ends with the observation, the observer's name with the last notice.
            kind.dispose = { kind, _ in Handler.release(kind) }
        }
        switch self {
        case .host(_, isDeallocationAware: true):
            kind.root_did_deallocate = { header, notice in
                tellDeallocated(host: header!.assumingMemoryBound(to: obv_object.self), notice)
            }
            kind.forget = { _, place in NoticePlace.release(place) }
        case .object(isDeallocationAware: true):
            kind.root_did_deallocate = { observer, notice in
                let observer: Unmanaged<AnyObject> = ObserverReference.object(
                    at: observer!, headerOffset: 0)
                observer._withUnsafeGuaranteedRef { tellDeallocated($0, notice) }
            }
            kind.forget = { observer, place in
                NoticePlace.release(place)
                ObserverReference.forget(observer!)
            }
        default:
            break
        }
    }

    /// The observer as the core names it.
    func address(of observer: AnyObject) -> UnsafeMutableRawPointer {
        if case .host(let headerOffset, _) = self {
            return Unmanaged.passUnretained(observer).toOpaque() + headerOffset
        }
        return ObserverReference.address(of: observer)
    }

    /// Bytes from an observable object to its header, by which the core names it; 0: it is another.
    var headerOffset: Int {
        if case .host(let headerOffset, _) = self { return headerOffset }
        return 0
    }
}

extension Handler {
    /// An observation begins that has this handler.
    func retain(for observer: AnyObject?) {
        _ = Unmanaged.passRetained(self)
        used.withLock { $0.observations += 1 }
        _ = noticePlace.map(Unmanaged.passRetained)
        if case .object = form, let observer {
            ObserverReference.keep(observer)
        }
    }

    /// Keeps components that stand in the path of an observation that has begun.
    func keep(_ components: [Component]) {
        if components.isEmpty { return }
        let spare = used.withLock { used in
            // All observations have ended.
            if used.observations == 0 { return components }
            return components.compactMap {
                used.components.updateValue($0, forKey: ObjectIdentifier($0))
            }
        }
        spare.leave()
    }

    /// Undoes ``retain(for:)``: the core refused the observation.
    func release(for observer: AnyObject?) {
        endOne()
        noticePlace.map(Unmanaged.passUnretained)?.release()
        if case .object = form, let observer {
            ObserverReference.forget(ObserverReference.address(of: observer))
        }
    }

    /// An observation has ended, and nothing of it runs any more.
    fileprivate static func release(_ kind: UnsafePointer<obv_handler_kind>) {
        of(kind).endOne()
    }

    private func endOne() {
        let components = used.withLock { used -> [ObjectIdentifier: Component] in
            used.observations -= 1
            if used.observations > 0 { return [:] }
            defer { used.components = [:] }
            return used.components
        }
        components.values.leave()
        Unmanaged.passUnretained(self).release()
    }
}
