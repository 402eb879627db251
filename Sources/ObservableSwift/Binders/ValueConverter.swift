// SPDX-License-Identifier: Apache-2.0

/// What makes of the value of one end of `bind` that of the other, and back. What comes back need not be
/// what went: a binder does not carry back what it has carried.
///
///     struct Decimal: ValueConverter {
///         func convert(_ value: Int) -> String { "\(value)" }
///         func convertBack(_ value: String) throws -> Int { … }
///     }
///
/// Where it throws nothing is set, and ``ObservationDiagnostics`` is told. Nil is not converted: it is nil
/// at the other end.
public protocol ValueConverter<Input, Output> {
    associatedtype Input
    associatedtype Output

    func convert(_ value: Input) throws -> Output
    func convertBack(_ value: Output) throws -> Input
}
