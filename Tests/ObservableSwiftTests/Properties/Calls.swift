// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// One observation that counts its calls, on a loop of its own that is drained to look.
final class Calls {
    private let loop = DeliveryLoop()
    private var count = 0
    private(set) var observation: ObservationHandle!

    init<Root: ObservableHost>(
        _ root: Root, _ paths: TextPath..., options: ObservationOptions = []
    ) {
        observation = root.tell(
            self, when: .any(of: paths.map { \.[text: $0] }), on: loop, options: options
        ) { calls, _ in
            calls.count += 1
        }
    }

    init<Root: ObservableHost>(
        _ root: Root, _ paths: TypedPath<Root>..., options: ObservationOptions = []
    ) {
        observation = root.tell(self, when: .any(of: paths), on: loop, options: options) {
            calls, _ in
            calls.count += 1
        }
    }

    /// Since the last look; one drain.
    var new: Int {
        loop.drain()
        defer { count = 0 }
        return count
    }
}

/// The same path in its two spellings.
struct BothSpellings {
    let text: Calls
    let typed: Calls

    init<Root: ObservableHost>(_ root: Root, _ text: TextPath, _ typed: TypedPath<Root>) {
        self.text = Calls(root, text)
        self.typed = Calls(root, typed)
    }

    /// Of each; nil where they disagree.
    var new: Int? {
        let counts = (text.new, typed.new)
        return counts.0 == counts.1 ? counts.0 : nil
    }
}
