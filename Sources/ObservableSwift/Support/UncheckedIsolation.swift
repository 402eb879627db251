// SPDX-License-Identifier: Apache-2.0

/// The program's function without its isolation in the type. The caller has read
/// `function.isolation`, and calls the function there. The language itself offers only an `await`.
///
/// `@isolated(any)` does not change the calling convention: a caller inside the isolation calls the
/// function like any other. So only the type is replaced, and the two types must differ in that
/// attribute alone.
@inline(__always)
package func uncheckedIsolation<Isolated, Plain>(
    _ function: Isolated, as type: Plain.Type = Plain.self
) -> Plain {
    unsafeBitCast(function, to: type)
}
