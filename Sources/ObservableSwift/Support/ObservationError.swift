// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What was refused, and why. Nothing was changed by the call that gives it.
public struct ObservationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why something is refused.
    public enum Kind: Hashable, Sendable {
        /// The text is no key path: `position` is the byte that cannot stand there.
        case syntax
        /// The class has no such property.
        case unknown
        /// What stands there cannot have such an element.
        case unsupportedElement
        /// The index is past the end.
        case pastEnd
        /// The options contradict each other.
        case options
        /// Out of memory.
        case memory
        /// A limit of the library is reached.
        case limit
        /// An object, an observation or a loop has ended.
        case ended
        /// A block would be called where it does not belong: one without an isolation, begun
        /// elsewhere than on the main loop, does not name its loop; or an isolated one names a loop
        /// that is never drained in its isolation.
        case isolation
        /// Computed properties need each other, so that none of them has a value.
        case cycle
        /// An argument is out of its range.
        case argument
    }

    /// Why it was refused.
    public let kind: Kind
    /// Bytes of UTF-8 from the start of `path`, for ``Kind/syntax``; else 0.
    public let position: Int
    /// The path as it was written; empty if it is about none.
    public let path: String
    /// A sentence in English.
    public let message: String

    public var description: String {
        let place = kind == .syntax ? " at byte \(position)" : ""
        return path.isEmpty ? message : "\"\(path)\"\(place): \(message)"
    }
}

extension ObservationError {
    package init(_ kind: Kind, position: Int = 0, path: String = "", _ message: String) {
        self.kind = kind
        self.position = position
        self.path = path
        self.message = message
    }

    init(_ status: obv_status, _ error: obv_error, path: String) {
        let text = error.message ?? obv_status_text(status)
        self.init(
            Kind(status), position: Int(error.position), path: path,
            Self.inSwift(String(cString: text)))
    }

    /// A sentence of the core, with the Swift names of the options that it mentions.
    private static func inSwift(_ text: String) -> String {
        guard text.contains("OBV_") else { return text }
        return text.split(separator: " ").map { word in
            switch word {
            case "OBV_EXTENSIBLE": "the option `.allowsMorePaths`"
            case "OBV_ONCE": "`.ignoresRestOfDrain`"
            case "OBV_DEFER": "`.keepsOwnChanges`"
            default: String(word)
            }
        }.joined(separator: " ")
    }
}

extension ObservationError.Kind {
    fileprivate init(_ status: obv_status) {
        switch status {
        case OBV_E_SYNTAX: self = .syntax
        case OBV_E_UNKNOWN: self = .unknown
        case OBV_E_KIND: self = .unsupportedElement
        case OBV_E_PAST_END: self = .pastEnd
        case OBV_E_OPTIONS: self = .options
        case OBV_E_MEMORY: self = .memory
        case OBV_E_LIMIT: self = .limit
        case OBV_E_ENDED: self = .ended
        case OBV_E_CYCLE: self = .cycle
        default: self = .argument
        }
    }
}

extension ObservationError {
    /// The error for something that begins off the main loop with neither an isolation nor `on:`.
    static func withoutLoop(_ what: String, begun: String, whose: String) -> ObservationError {
        ObservationError(
            .isolation,
            "\(what) without an isolation, \(begun) elsewhere than on the main loop, needs the loop "
                + "that \(whose) to: `on: DeliveryLoop(actor: self)` in an actor, `on: .main` for "
                + "the main one")
    }
}
