// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A key path as text: property names joined by dots, `*` for every property of an object.
///
///     user.tell(self, when: \.[text: "address.zipCode"]) { … }
///
/// Checked when it is made: a literal with bad syntax stops the program and names the byte;
/// text from elsewhere goes through ``init(parsing:)``. Whether there are such properties shows
/// where it is observed; ``validate(for:)`` asks beforehand.
///
/// `*` is one element. There is no wildcard for any depth: `*.*` is two levels, and what is no
/// object (a string, a number) is passed over behind the first `*` without a report.
///
/// A `\` takes the next character as it is, so that a name may contain `.`, `*`, `#`, `&`, `@` or
/// `\`. At most 255 elements and 65,535 bytes.
public struct TextPath: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    public let description: String

    /// - Throws: ``ObservationError`` of kind `syntax`, with the position of the byte that cannot
    ///   stand there; of a text that ends too early, its length. Of kind `memory`.
    public init(parsing text: String) throws(ObservationError) {
        if let position = text.utf8.firstIndex(of: 0) {
            throw ObservationError(
                .syntax, position: text.utf8.distance(from: text.startIndex, to: position),
                path: text, "a name has no NUL in it")
        }
        var error = obv_error()
        var path: OpaquePointer?
        var copy = text
        let status = copy.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                obv_path_find(Context.names, bytes.baseAddress, bytes.count, &path, &error)
            }
        }
        guard status == OBV_OK else {
            throw ObservationError(status, error, path: text)
        }
        obv_path_destroy(path)
        self.init(unchecked: text)
    }

    private init(unchecked text: String) {
        description = text
    }

    /// Checks a path by the declared types, from objects of this class: a property that only a
    /// subclass has is unknown below its superclass.
    ///
    /// - Throws: ``ObservationError`` of kind `unknown`, `unsupportedElement` or `memory`.
    public func validate<Root: ObservableHost>(
        for type: Root.Type
    ) throws(ObservationError) {
        guard let cls = try ModelClasses.of(type) else {
            throw ObservationError(
                .unknown, path: description,
                "\(type) lists its properties, and has had no object yet")
        }
        var error = obv_error()
        let status = description.withCString { obv_validate(cls, $0, &error) }
        if status != OBV_OK {
            throw ObservationError(status, error, path: description)
        }
    }
}

extension TextPath {
    /// The core's path, which the caller destroys. Unknown names are interned, not refused: the
    /// core may meet the classes on the way later.
    func compiled() throws(ObservationError) -> OpaquePointer {
        var error = obv_error()
        var path: OpaquePointer?
        let status = description.withCString {
            obv_path_parse(Context.names, $0, description.utf8.count, &path, &error)
        }
        guard status == OBV_OK, let path else {
            throw ObservationError(status, error, path: description)
        }
        return path
    }

    /// The elements, to be part of a longer path. They are names, positions and hashes, and need no
    /// release.
    func elements() throws(ObservationError) -> [obv_element] {
        let path = try compiled()
        defer { obv_path_destroy(path) }
        return Array(
            UnsafeBufferPointer(start: obv_path_elements(path), count: obv_path_count(path)))
    }
}

extension TextPath: ExpressibleByStringLiteral {
    /// A literal with bad syntax stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(parsing: "\(text)")
        } catch {
            // For want of memory the text is taken unchecked. Its use parses it again, and can
            // throw.
            guard error.kind == .memory else {
                stopTheProgram("\(error)")
            }
            self.init(unchecked: "\(text)")
        }
    }
}
