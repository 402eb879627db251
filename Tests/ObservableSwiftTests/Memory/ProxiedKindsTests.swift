// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

private final class Slate {
    var width = 1
}

@Suite struct ProxiedKindsTests {
    /// What is made for the core's class is kept for the process.
    @Test func KP_17_what_a_class_of_proxies_is_made_of_is_made_once() {
        let slate = ProxiedClass.of(Slate.self)
        let kinds = slate.describe().map(\.kind)
        #expect(!kinds.isEmpty)
        #expect(slate.describe().map(\.kind) == kinds)
    }
}
