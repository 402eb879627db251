// SPDX-License-Identifier: Apache-2.0

/// A function of the program's, to be called where its isolation is known to be: the caller has asked for
/// that (`function.isolation`). The language has only the call that waits.
///
/// `@isolated(any)` changes how a function is called by nothing: a caller that is in the isolation calls it
/// as any other. So the type alone is exchanged; the two must differ in that attribute only.
@inline(__always)
package func uncheckedIsolation<Isolated, Plain>(
    _ function: Isolated, as type: Plain.Type = Plain.self
) -> Plain {
    unsafeBitCast(function, to: type)
}
