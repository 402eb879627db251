// SPDX-License-Identifier: Apache-2.0

import ObservableMacros
import ObservableSwift
import Testing

@MainActor @ObservableClass final class Form {
    var text = ""
    private(set) var length = 0

    init() {
        tell(self, when: \.text) { form, _ in form.length = form.text.count }
    }

    isolated deinit { text = "" }
}

/// Says nothing, and is of no actor, as any model.
@ObservableClass final class Plain {
    var name = ""
}

private nonisolated func change(_ plain: Plain, to name: String) {
    plain.name = name
}

@Suite struct MainActorClassTests {
    @Test func PK_2_the_main_actor_is_the_default() {
        let form = Form()
        form.text = "one"
        DeliveryLoop.main.drain()
        #expect(form.length == 3)
        let plain = Plain()
        var seen: [String] = []
        let token = plain.onChange(of: \.name) { plain in seen.append(plain.name) }
        change(plain, to: "Ada")
        DeliveryLoop.main.drain()
        #expect(seen == ["Ada"])
        withExtendedLifetime(token) {}
    }
}
