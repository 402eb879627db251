// SPDX-License-Identifier: Apache-2.0

/// What keys do to the service, if it is the board's own.
@MainActor public protocol ServiceControls: AnyObject {
    /// Stops it, or starts it again.
    func toggle() async
    /// The next manner of answering.
    func changeManner() async
}
