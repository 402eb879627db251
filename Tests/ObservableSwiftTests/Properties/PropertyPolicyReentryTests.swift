// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

// What a policy of the program's does while it corrects or compares.

/// A text that says what its property's policy does with it.
private struct Text {
    final class Policy {
        /// Called when a value has been corrected, and when two are about to be compared.
        var whenCorrected: () -> Void = {}
        var whenCompared: () -> Void = {}
    }

    var letters = String(repeating: "a", count: 100)
    let policy: Policy
}

private enum Lengthened: ObservationPolicy {
    static func areEqual(_ a: Text, _ b: Text) -> Bool {
        a.policy.whenCompared()
        return a.letters == b.letters
    }

    static func corrected(_ offered: consuming Text) -> Text {
        // Lets go of the letters that it was offered.
        offered.letters += String(repeating: "x", count: 5000)
        offered.policy.whenCorrected()
        return offered
    }
}

private final class Page: ObservableModel {
    @ObservedAs<Lengthened> var text: Text

    init(_ policy: Text.Policy) {
        text = Text(policy: policy)
        super.init()
    }
}

/// A page whose text has 5,100 letters, and which may be observed.
private struct Correction {
    let policy = Text.Policy()
    let page: Page
    let token: ObservationToken?

    init(isObserved: Bool) {
        page = Page(policy)
        token = isObserved ? page.onChange(of: \.text, options: .immediate) { _ in } : nil
    }
}

@Suite struct PropertyPolicyReentryTests {
    @Test(arguments: [false, true])
    func EQ_11_a_policy_reads_what_it_corrects(isObserved: Bool) {
        let correction = Correction(isObserved: isObserved)
        let page = correction.page
        let before = page.text.letters
        var seen: [String] = []
        correction.policy.whenCorrected = { seen.append(page.text.letters) }
        page.text = Text(policy: correction.policy)
        // In place what stands there is what the mutation has left.
        page.text.letters += "b"
        #expect(seen == [before, before + "b"])
        #expect(page.text.letters.utf8.count == 10_101)
        correction.policy.whenCorrected = {}
    }

    @Test(arguments: [false, true])
    func EQ_11_a_policy_sets_what_it_corrects(isObserved: Bool) {
        let correction = Correction(isObserved: isObserved)
        let (page, policy) = (correction.page, correction.policy)
        policy.whenCorrected = {
            policy.whenCorrected = {}
            page.text = Text(letters: "inside", policy: policy)
            page.text.letters += "!"
        }
        // What is set inside stands there until what it is inside of is stored.
        page.text.letters += "b"
        #expect(page.text.letters.utf8.count == 10_101)
    }

    @Test func EQ_11_a_policy_reads_and_sets_what_it_compares() {
        let correction = Correction(isObserved: true)
        let (page, policy) = (correction.page, correction.policy)
        var seen: [Int] = []
        policy.whenCompared = {
            policy.whenCompared = {}
            page.text = Text(letters: "", policy: policy)
            seen.append(page.text.letters.utf8.count)
        }
        page.text = Text(letters: "b", policy: policy)
        page.text.letters += "c"
        #expect(seen == [5000])
        #expect(page.text.letters.hasPrefix("bx"))
    }
}
