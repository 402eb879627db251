// SPDX-License-Identifier: Apache-2.0

// The annotations. Without the trait `Macros` the product is empty.

#if Macros
    import ObservableSwift

    /// Makes the stored `var`s of a class observable, without a superclass or wrappers:
    ///
    ///     @ObservableClass final class Address { var zipCode: String? }
    ///
    ///     @ObservableClass final class User {
    ///         var name = ""
    ///         var address: Address?
    ///         @NotObserved var cache: [String: String] = [:]
    ///     }
    ///
    ///     token = user.values(of: \.address?.zipCode).onChange { … }
    ///
    /// It writes what would be written by hand: ``/ObservableSwift/Observed`` before each property,
    /// a header and the conformance to ``/ObservableSwift/ObservableHost``. Everything that holds for
    /// such a class holds for this one, its costs and the rules for what is a change among them. The
    /// program imports ObservableSwift beside this module.
    ///
    /// - A property that has a wrapper of ObservableSwift keeps it: `@ObservedAtomic var count = 0`,
    ///   `@Computed(Order.makeGross) var gross: Double`. One of another library cannot stand below
    ///   `@Observed` and is left out (`@NotObserved @Other var`); an attribute that is no wrapper can
    ///   (`@Observed @MyActor var`).
    /// - Constants, properties of the type, overrides and getters are left as they are. Paths lead through
    ///   constants and getters.
    /// - `willSet` and `didSet` work, in an initialiser too, once all properties have a value. `lazy`, `weak` and `unowned` are refused; `@NotObserved` leaves them
    ///   out. Several properties in one `var` are refused.
    /// - The class may have any superclass. Below one that is observable already, by this or otherwise, it
    ///   gets no header; its own properties need the annotation, or wrappers.
    /// - A `deinit` of the class goes first. Then what observes the object ends, and then its properties go.
    /// - A class that is `Codable` gets `CodingKeys` with its stored properties, unless it declares them.
    ///   Those that are computed or weak are left out.
    ///
    /// The class is no local one: the language extends none.
    @attached(
        member, conformances: ObservableHost, Encodable, Decodable,
        names: named(observation), named(deinit), named(CodingKeys))
    @attached(memberAttribute)
    @attached(extension, conformances: ObservableHost)
    public macro ObservableClass() =
        #externalMacro(module: "ObservableMacrosPlugin", type: "ObservableClassMacro")

    /// Leaves a stored property of an ``ObservableClass()`` as it is: nobody can observe it, and it costs
    /// nothing.
    @attached(peer)
    public macro NotObserved() =
        #externalMacro(module: "ObservableMacrosPlugin", type: "NotObservedMacro")

    /// What ``ObservableClass()`` writes at a `deinit`.
    @attached(body)
    public macro _EndingObservation() =
        #externalMacro(module: "ObservableMacrosPlugin", type: "EndingObservationMacro")
#endif
