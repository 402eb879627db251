// SPDX-License-Identifier: Apache-2.0

/// Makes of the value of one end of `bind` that of the other, and back. The value that comes back may be
/// another than the one that went: a binder does not carry back what it has carried.
///
///     struct Decimal: ValueConverter {
///         func convert(_ value: Int) -> String { "\(value)" }
///         func convertBack(_ value: String) throws -> Int { … }
///     }
///
/// A value for which it throws is not set, and `onFailure:` of `bind` is told, or ``ObservationDiagnostics``. Nil is
/// not converted: it is nil at the other end.
public protocol ValueConverter<Input, Output> {
    associatedtype Input
    associatedtype Output

    func convert(_ value: Input) throws -> Output
    func convertBack(_ value: Output) throws -> Input
}
