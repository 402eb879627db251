// SPDX-License-Identifier: Apache-2.0

import CObservable

/// One observation at one property of an object, as the end or in the middle of one of its paths:
/// for tools and tests. What it names is told by type and address, and may have gone.
public struct ObserverEntry: Sendable {
    /// The property of the object that it holds, `*` for all of them; nil: an observation that is
    /// rooted here and holds nothing, since it has no path or one whose first property the class
    /// lacks.
    public let property: String?
    /// The whole path, from its root; nil: none.
    public let path: String?
    /// The class that the path begins at; nil: it has ended.
    public let rootType: String?
    /// The observer's class; nil of a token with a block.
    public let observerType: String?
    /// The observer; nil of a token with a block.
    public let observer: ObjectIdentifier?
    /// The `label` of the call that began it.
    public let label: String?
    /// The file and line of that call.
    public let file: String?
    public let line: Int
    /// The property is in the middle of the path: the path leads on from here.
    public let isMiddle: Bool
    /// Called inside the change.
    public let isImmediate: Bool
    /// Ends with its token.
    public let isToken: Bool
    /// A call is scheduled.
    public let isPending: Bool
    /// The path leads nowhere: the class lacks its first property.
    public let isUnresolved: Bool
    /// What hangs behind this property is not what is stored in it now: it was written past its
    /// setter without a trigger, or memory was short.
    public let isStale: Bool
    /// The loop that delivers it, by its address; nil: none.
    let loop: UInt?
    let root: UInt?
}

extension ObserverEntry: CustomStringConvertible {
    /// One line.
    public var description: String {
        var text = path.map(escaped) ?? "(no path)"
        text += " from \(rootType.map(escaped) ?? "an object that has ended")"
        if let root { text += " \(address(root))" }
        if let observer {
            let type = observerType.map(escaped) ?? "an object that has ended"
            text += ", observer \(type) \(address(UInt(bitPattern: observer)))"
        } else {
            text += ", no observer"
        }
        if let label { text += " \"\(escaped(label))\"" }
        text += isImmediate ? ", immediate" : ", delayed"
        if let loop, !isImmediate { text += " on loop \(address(loop))" }
        if isToken { text += ", token" }
        if isPending { text += ", pending" }
        if isMiddle { text += ", leads on" }
        if isUnresolved { text += ", unresolved" }
        if let file { text += " (\(escaped(file)):\(line))" }
        if isStale { text += " NOT WHAT IS STORED" }
        return text
    }
}

// MARK: - From the core

extension ObserverEntry {
    /// The handler kind is there for the call; the observer may have gone.
    init(_ entry: obv_observer_entry) {
        property = entry.property.map { String(cString: $0) }
        path = entry.path.map { String(cString: $0) }
        rootType = entry.root_class.map(readable)
        // The root may have gone. Its class still tells the offset of the header.
        let header = entry.root_class.flatMap(ModelClasses.headerOffset) ?? 0
        root = entry.root.map { UInt(bitPattern: $0) - UInt(header) }
        let observer = entry.observer.map(UnsafeMutableRawPointer.init(mutating:))
        let object = observer.flatMap { living($0, entry.kind) }
        observerType = object.map { "\(type(of: $0))" }
        // The core names an observable observer by its header, and here the object's own address
        // counts.
        self.observer =
            object.map(ObjectIdentifier.init)
            ?? observer.map { unsafeBitCast($0, to: ObjectIdentifier.self) }
        label = entry.label.map { String(cString: $0) }
        file = entry.file.map { String(cString: $0) }
        line = Int(entry.line)
        isMiddle = entry.is_middle
        isImmediate = entry.is_immediate
        isToken = entry.is_token
        isPending = entry.is_pending
        isUnresolved = entry.is_unresolved
        isStale = entry.is_stale
        loop = entry.loop.map { UInt(bitPattern: $0) }
    }
}

/// The observer, if it lives.
private func living(
    _ observer: UnsafeMutableRawPointer, _ kind: UnsafePointer<obv_handler_kind>
) -> AnyObject? {
    let kind = kind.pointee
    guard let retain = kind.retain, let release = kind.release, retain(observer) else { return nil }
    defer { release(observer) }
    if kind.flags & OBV_OBSERVER_IS_OBJECT.rawValue != 0 {
        return object(of: observer.assumingMemoryBound(to: obv_object.self))
    }
    return ObserverReference.object(at: observer, headerOffset: 0).takeUnretainedValue()
}

/// A class's name without the part behind the space, which only makes the name unique for the core.
private func readable(_ name: UnsafePointer<CChar>) -> String {
    let name = String(cString: name)
    return name.lastIndex(of: " ").map { String(name[..<$0]) } ?? name
}

func address(_ pointer: UnsafeMutableRawPointer) -> String {
    address(UInt(bitPattern: pointer))
}

private func address(_ word: UInt) -> String {
    "0x" + String(word, radix: 16)
}

/// A text of the program's for people: without what would drive a terminal, begin another line or
/// turn what follows round.
func escaped(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            shown += "\\u{" + String(scalar.value, radix: 16) + "}"
        default:
            shown.unicodeScalars.append(scalar)
        }
    }
    return shown
}
