// SPDX-License-Identifier: Apache-2.0
//
// A loop that writes many times can write past the setter, where nobody is told. One trigger at its
// end does what one set would have done.

import ObservableSwift

final class Document: ObservableModel {
    @Observed private(set) var words = 0

    // 1. Keep the former value, write past the setter, trigger with the former value. Only the
    //    class itself can reach the wrapper, `_words`.
    func countWords(in text: String) {
        let before = words
        _words.unobserved = 0
        for _ in text.split(separator: " ") {
            _words.unobserved += 1
        }
        trigger(\.words, old: before)
    }
}

final class Display {
    func show(_ words: Int) {
        print("  \(words) words")
    }
}

func deliver(_ whatHasHappened: String) {
    print(whatHasHappened)
    DeliveryLoop.main.drain()
}

let document = Document()
let display = Display()
document.tell(display, when: \.words) { display, document in
    display.show(document.words)
}

// 2. One change, however often it was written.
document.countWords(in: "once upon a time")
deliver("a text is counted")

// 3. As many words as before: no change, though it was 0 in between.
document.countWords(in: "in a far country")
deliver("another text is counted")
