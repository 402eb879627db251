// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct CutOffTests {
    private let loop = DeliveryLoop()
    private let user = PipeUser()
    private let other = PipeUser()
    private let label = PipeLabel()

    /// All that sets the label, and at the end what only reads it.
    private func begin() -> [ObservationToken] {
        [
            user.values(of: \.first).on(loop)
                .compactMap { $0 }
                .map { $0 }
                .assign(to: \.text, of: label),
            other.values(of: \.first).on(loop)
                .compactMap { $0 }
                .filter { _ in true }
                .assign(to: \.hint, of: label),
            user.values(of: \.age).compactMap { $0 }
                .combined(with: other.values(of: \.age).compactMap { $0 }) { $0 + $1 }.on(loop)
                .assign(to: \.number, of: label),
            other.values(of: \.last).on(loop)
                .assign(to: \.detail?.text, of: label),
            other.values(of: \.last).on(loop)
                .assign(to: \.text, of: label),
            bind(label, \.hint, user, \.nick, on: loop),
            label.values(of: \.text).on(loop)
                .assign(to: \.last, of: user),
        ]
    }

    private func left(_ cut: () -> Void) -> [Int] {
        let binders = begin()
        loop.settle()
        user.first = "on its way"
        cut()
        let left = binders.indices.filter { !binders[$0].hasEnded }
        let text = label.text
        loop.settle()
        if !left.contains(0), !left.contains(4) { #expect(label.text == text) }
        return left
    }

    @Test func BI_8_cut_off_by_target_path_by_source_or_all() {
        #expect(left { label.cutOff() } == [6])
        #expect(left { label.cutOff(\.text) } == [1, 2, 3, 5, 6])
        #expect(left { label.cutOff(\.detail?.text) } == [0, 1, 2, 4, 5, 6])
        #expect(left { label.cutOff(from: user) } == [1, 3, 4, 6])
        #expect(left { label.cutOff(from: other) } == [0, 5, 6])
        #expect(left { label.cutOff(\.text, from: user) } == [1, 2, 3, 4, 5, 6])
        #expect(left { label.cutOff(\.hint, from: user) } == [0, 1, 2, 3, 4, 6])
        #expect(left { label.cutOff(\.number, from: other) } == [0, 1, 3, 4, 5, 6])
        #expect(left { label.cutOff(\.layouts) } == [0, 1, 2, 3, 4, 5, 6])
        #expect(left { label.cutOff(from: PipeUser()) } == [0, 1, 2, 3, 4, 5, 6])
        #expect(left { user.cutOff(\.nick) } == [0, 1, 2, 3, 4, 6])
        #expect(left { user.cutOff(from: label) } == [0, 1, 2, 3, 4])
    }

    @Test func BI_8_cut_off_leaves_what_observes() {
        var called = 0
        let token = label.onChange(of: \.text, on: loop) { _ in called += 1 }
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: label)
        label.cutOff()
        label.cutOff()
        #expect(binder.hasEnded)
        label.text = "by hand"
        loop.settle()
        #expect(called == 1)
        withExtendedLifetime(token) {}
    }

    @Test func BI_8_what_a_pipe_captures_goes_when_it_is_cut_off() {
        let died = Shared(0)
        let binders = (0..<3).map { _ in
            let probe = Probe(died)
            return user.values(of: \.first).on(loop)
                .compactMap { $0 }
                .map {
                    probe.stay()
                    return $0
                }
                .assign(to: \.text, of: label)
        }
        loop.settle()
        label.cutOff(from: user)
        #expect(user.numberOfObservers(of: "first") == 0)
        #expect(label.numberOfObservers(of: "text") == 0)
        #expect(died.value == 0)
        binders.forEach { $0.cancel() }
        #expect(died.value == 3)
    }

    @Test func BI_8_an_object_cuts_itself_off_as_it_dies() {
        final class Dying: ObservableModel {
            @Observed var text = ""

            deinit {
                cutOff()
            }
        }
        var dying: Dying? = Dying()
        let binder = user.values(of: \.first).on(loop)
            .assign(to: \.text, of: dying!)
        loop.settle()
        dying = nil
        #expect(binder.hasEnded)
        #expect(user.numberOfObservers(of: "first") == 0)
    }
}
