// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A method of an object, to be called as the block of an observation: what `call:` takes.
///
///     token = user.onChange(of: \.name, call: TargetMethod(Screen.showName, of: screen))
///
/// The method's parameters say what it is handed: nothing; the object; the object and the path; these
/// and the old and the new value, or a record; the new value; the old one and the new. Values are
/// optional, as those that blocks are handed, and copied for a method that takes them only. A method of
/// another form does not compile; of several with one name the parameters tell, `Screen.show(_:)`.
///
/// An isolated method, as one of a main-actor class is, is called in its isolation, like a block. What
/// an actor isolates to itself has no such form: the compiler refuses to name it without the actor.
///
/// This value keeps the target; an observation that is begun with it does not, and ends with the
/// target, as with an observer.
///
/// Threads: made in any isolation. Cost: a call allocates the method that is bound to its target, and
/// the path's text if that is asked for.
public struct TargetMethod<Root: ObservableHost, Value> {
    let target: AnyObject
    let isolation: (any Actor)?
    let handed: HandedValues
    /// Whether it is told the path.
    let takesPath: Bool
    let call: (AnyObject, Root, obv_call, _ path: String) -> Void

    /// A method without parameters.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) () -> Void, of target: Target
    ) {
        let plain = uncheckedIsolation(method, as: ((Target) -> () -> Void).self)
        self.init(target, method(target).isolation) { target, _, _, _ in plain(target)() }
    }

    /// A method that takes the object whose change scheduled it first.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) (Root) -> Void, of target: Target
    ) {
        let plain = uncheckedIsolation(method, as: ((Target) -> (Root) -> Void).self)
        self.init(target, method(target).isolation) { target, root, _, _ in plain(target)(root) }
    }

    /// A method that takes the object and the path: as it was written, of a typed one as text.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) (Root, String) -> Void, of target: Target
    ) {
        let plain = uncheckedIsolation(method, as: ((Target) -> (Root, String) -> Void).self)
        self.init(target, method(target).isolation, takesPath: true) { target, root, _, path in
            plain(target)(root, path)
        }
    }

    /// A method that takes the object, the path, the old and the new value.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) (Root, String, Value?, Value?) -> Void,
        of target: Target
    ) {
        let plain = uncheckedIsolation(
            method, as: ((Target) -> (Root, String, Value?, Value?) -> Void).self)
        self.init(target, method(target).isolation, .values, takesPath: true) {
            target, root, call, path in
            plain(target)(root, path, call.oldValue(), call.newValue())
        }
    }

    /// A method that takes the object, the path and the record, of at most 16 entries.
    public init<Target: AnyObject>(
        _ method:
            @escaping (Target) ->
            @isolated(any) (Root, String, ObservationRecord<Root>) ->
            Void,
        of target: Target
    ) {
        let plain = uncheckedIsolation(
            method, as: ((Target) -> (Root, String, ObservationRecord<Root>) -> Void).self)
        self.init(target, method(target).isolation, .record(16), takesPath: true) {
            target, root, call, path in
            plain(target)(root, path, ObservationRecord(root, call))
        }
    }

    /// A method that takes the new value.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) (Value?) -> Void, of target: Target
    ) {
        let plain = uncheckedIsolation(method, as: ((Target) -> (Value?) -> Void).self)
        self.init(target, method(target).isolation, .values) { target, _, call, _ in
            plain(target)(call.newValue())
        }
    }

    /// A method that takes the old value and the new one.
    public init<Target: AnyObject>(
        _ method: @escaping (Target) -> @isolated(any) (Value?, Value?) -> Void, of target: Target
    ) {
        let plain = uncheckedIsolation(method, as: ((Target) -> (Value?, Value?) -> Void).self)
        self.init(target, method(target).isolation, .values) { target, _, call, _ in
            plain(target)(call.oldValue(), call.newValue())
        }
    }

    private init<Target: AnyObject>(
        _ target: Target, _ isolation: (any Actor)?, _ handed: HandedValues = .nothing,
        takesPath: Bool = false,
        call: @escaping (Target, Root, obv_call, String) -> Void
    ) {
        self.target = target
        self.isolation = isolation
        self.handed = handed
        self.takesPath = takesPath
        self.call = { call(unsafeDowncast($0, to: Target.self), $1, $2, $3) }
    }
}

// MARK: - Observing

extension ObservableHost {
    /// Observes one path as long as the token is kept and the target lives, and calls a method of the
    /// target:
    ///
    ///     token = user.onChange(of: \.name, call: TargetMethod(Screen.showName, of: screen))
    ///
    /// The parameters are those of `onChange(of:)`. ``TargetMethod`` says what a method is handed; one
    /// that takes values or a path is of one path.
    ///
    /// - Returns: a token. The observation ends with it, with this object or with the target.
    public func onChange<Value>(
        of path: ValuePath<Self, Value>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        call method: TargetMethod<Self, Value>
    ) -> ObservationToken {
        ObservationToken(
            self, RequestedPaths(path), .init(loop, options, comparing, label, file, line), method)
    }

    /// The same for a path as text: values are of type `Any`.
    public func onChange(
        ofText path: TextPath,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        call method: TargetMethod<Self, Any>
    ) -> ObservationToken {
        ObservationToken(
            self, .text([path]), .init(loop, options, comparing, label, file, line), method)
    }
}
