// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableFoundation
import ObservableSwift
import Testing

extension Notification.Name {
    fileprivate static let saved = Notification.Name("saved")
    fileprivate static let closed = Notification.Name("closed")
}

private final class Document: Sendable {}

private final class Pair: ObservableModel {
    @Observed var first = 0
    @Observed var second = 0
}

private final class Editor {
    var seen: [String] = []
    func note(_ text: String) { seen.append(text) }
}

@Suite struct NotificationTests {
    private let centre = NotificationCenter()
    private let loop = DeliveryLoop {}

    private func post(_ name: Notification.Name, _ object: AnyObject? = nil, _ text: String = "") {
        centre.post(name: name, object: object, userInfo: ["text": text])
    }

    @Test func OB_4_each_notification_is_a_call_of_its_tokens_block() {
        let seen = Shared<[String]>([])
        let token = centre.onNotification(named: .saved, on: loop) { notification in
            let text = notification.userInfo!["text"] as! String
            seen.change { $0.append(text) }
        }
        post(.saved, nil, "a")
        post(.closed, nil, "b")
        post(.saved, nil, "c")
        #expect(seen.value == [])
        #expect(loop.drain() == 1)
        #expect(seen.value == ["a", "c"])
        #expect(loop.drain() == 0)
        post(.saved, nil, "d")
        loop.drain()
        #expect(seen.value == ["a", "c", "d"])
        withExtendedLifetime(token) {}
    }

    @Test func OB_4_one_token_is_for_several_properties() {
        let pair = Pair()
        let calls = Shared(0)
        let token = pair.onChange(of: \.first, \.second, on: loop) { _ in
            calls.change { $0 += 1 }
        }
        pair.first = 1
        loop.drain()
        pair.second = 1
        loop.drain()
        #expect(calls.value == 2)
        token.cancel()
        pair.first = 2
        #expect(loop.pendingCount == 0)
    }

    @Test func OB_4_a_bag_holds_tokens_of_both_kinds() {
        var bag: Set<ObservationToken> = []
        let gauge = Gauge()
        let calls = Shared(0)
        gauge.onChange(of: \.level, on: loop) { _ in calls.change { $0 += 1 } }.store(in: &bag)
        centre.onNotification(named: nil, on: loop) { _ in calls.change { $0 += 1 } }
            .store(in: &bag)
        gauge.level = 1
        post(.saved)
        loop.drain()
        #expect(calls.value == 2)
        bag = []
        gauge.level = 2
        post(.saved)
        loop.drain()
        #expect(calls.value == 2)
    }

    @Test func OB_4_OB_6_a_dropped_token_takes_back_what_is_posted_and_lets_go_of_all() {
        let living = Shared(0)
        let calls = Shared(0)
        for isCancelled in [true, false] {
            var token: ObservationToken?
            do {
                let counted = Counted(living)
                token = centre.onNotification(named: .saved, on: loop) { _ in
                    counted.stay()
                    calls.change { $0 += 1 }
                }
            }
            do {
                let payload = Counted(living)
                centre.post(name: .saved, object: payload)
            }
            #expect(living.value == 2)
            if isCancelled { token!.cancel() }
            token = nil
            #expect(loop.drain() == 0)
            #expect(living.value == 0)
            post(.saved)
            #expect(loop.pendingCount == 0)
            withExtendedLifetime(token) {}
        }
        #expect(calls.value == 0)
    }

    @Test func OB_4_ST_4_a_token_that_ends_inside_its_block_takes_the_rest_back() {
        let living = Shared(0)
        for isCancelled in [true, false] {
            let seen = Shared<[String]>([])
            let token = Shared<ObservationToken?>(nil)
            let made = centre.onNotification(named: .saved, on: loop) { notification in
                let text = notification.userInfo!["text"] as! String
                seen.change { $0.append(text) }
                if isCancelled { token.value!.cancel() } else { token.change { $0 = nil } }
            }
            token.change { $0 = made }
            for text in ["a", "b"] {
                centre.post(
                    name: .saved, object: Counted(living), userInfo: ["text": text])
            }
            if !isCancelled { _ = consume made }
            loop.drain()
            #expect(seen.value == ["a"])
            #expect(living.value == 0)
        }
    }

    @Test func OB_4_a_notification_goes_with_its_call() {
        let living = Shared(0)
        let token = centre.onNotification(named: .saved, on: loop) { _ in }
        centre.post(name: .saved, object: Counted(living))
        centre.post(name: .saved, object: Counted(living))
        #expect(living.value == 2)
        loop.drain()
        #expect(living.value == 0)
        let immediate = centre.onNotification(named: .saved, options: .immediate) { _ in }
        token.cancel()
        centre.post(name: .saved, object: Counted(living))
        #expect(living.value == 0)
        withExtendedLifetime(immediate) {}
    }

    @Test func OB_4_LT_1_the_object_is_meant_by_identity_and_not_kept() {
        let calls = Shared(0)
        weak var weakDocument: Document?
        var token: ObservationToken?
        do {
            let document = Document()
            weakDocument = document
            token = centre.onNotification(named: .saved, object: document, on: loop) { _ in
                calls.change { $0 += 1 }
            }
            post(.saved, Document())
            post(.saved, nil)
            post(.saved, document)
            loop.drain()
            #expect(calls.value == 1)
            // Nothing waits.
            token!.execute()
            #expect(calls.value == 1)
        }
        #expect(weakDocument == nil)
        post(.saved, Document())
        loop.drain()
        #expect(calls.value == 1)
        token = nil
        withExtendedLifetime(token) {}
    }

    @Test func OB_4_IM_1_an_immediate_block_is_called_inside_the_post_with_its_own() {
        let wrong = Shared(0)
        let calls = Shared(0)
        let token = centre.onNotification(named: .saved, options: .immediate) { notification in
            calls.change { $0 += 1 }
            let thread = notification.userInfo!["thread"] as! Thread
            if thread !== Thread.current { wrong.change { $0 += 1 } }
        }
        let centre = centre
        onThreads(4) { _ in
            for _ in 0..<500 {
                centre.post(name: .saved, object: nil, userInfo: ["thread": Thread.current])
            }
        }
        #expect(calls.value == 2_000)
        #expect(wrong.value == 0)
        withExtendedLifetime(token) {}
    }

    @Test func OB_4_posts_of_several_threads_come_each_once() {
        let seen = Shared<Set<Int>>([])
        let calls = Shared(0)
        let token = centre.onNotification(named: .saved, on: loop) { notification in
            let number = notification.userInfo!["number"] as! Int
            seen.change { $0.insert(number) }
            calls.change { $0 += 1 }
        }
        let centre = centre
        onThreads(4) { thread in
            for number in 0..<500 {
                centre.post(
                    name: .saved, object: nil, userInfo: ["number": thread * 500 + number])
            }
        }
        while loop.drain() > 0 {}
        #expect(calls.value == 2_000)
        #expect(seen.value.count == 2_000)
        withExtendedLifetime(token) {}
    }

    @Test func OB_4_DR_3_what_a_block_posts_itself_comes_in_the_next_cycle() {
        let calls = Shared(0)
        let centre = centre
        let token = centre.onNotification(named: .saved, on: loop) { _ in
            calls.change { $0 += 1 }
            if calls.value < 3 { centre.post(name: .saved, object: nil) }
        }
        post(.saved)
        #expect(loop.drain() == 1)
        #expect(calls.value == 1)
        loop.drain()
        loop.drain()
        #expect(calls.value == 3)
        #expect(loop.drain() == 0)
        withExtendedLifetime(token) {}
    }

    /// None is dropped, whoever posts it.
    @Test func OB_4_DR_3_what_the_block_of_an_observer_posts_comes_in_the_next_cycle() {
        let editor = Editor()
        let centre = centre
        let handle = centre.tell(editor, named: .saved, on: loop) { editor, notification in
            let text = notification.userInfo!["text"] as! String
            editor.note(text)
            if text != "aaa" {
                centre.post(name: .saved, object: nil, userInfo: ["text": text + "a"])
            }
        }
        post(.saved, nil, "a")
        loop.drain()
        #expect(editor.seen == ["a"])
        loop.drain()
        loop.drain()
        #expect(editor.seen == ["a", "aa", "aaa"])
        #expect(loop.drain() == 0)
        withExtendedLifetime(handle) {}
    }

    @Test func OB_4_OB_2_options_leave_each_notification_one_call() {
        let cases: [ObservationOptions] = [
            [.immediate, .prior], [.immediate, .initial], .initial, .skipsReverted,
            .ignoresRestOfDrain, .includesIntermediateElements,
        ]
        for options in cases {
            let seen = Shared<[String]>([])
            let centre = centre
            let token = centre.onNotification(named: .saved, on: loop, options: options) {
                notification in
                let text = notification.userInfo!["text"] as! String
                seen.change { $0.append(text) }
                if text == "b" {
                    centre.post(name: .saved, object: nil, userInfo: ["text": "c"])
                }
            }
            post(.saved, nil, "a")
            loop.drain()
            post(.saved, nil, "b")
            for _ in 0..<3 { loop.drain() }
            #expect(seen.value == ["a", "b", "c"])
            withExtendedLifetime(token) {}
        }
    }

    @Test func OB_4_LT_3_a_told_observer_is_not_kept_and_ends_it() {
        let living = Shared(0)
        weak var weakEditor: Editor?
        let handle: ObservationHandle
        do {
            let editor = Editor()
            weakEditor = editor
            let counted = Counted(living)
            handle = centre.tell(editor, named: .saved, on: loop) { editor, notification in
                counted.stay()
                editor.note(notification.userInfo!["text"] as! String)
            }
            post(.saved, nil, "a")
            post(.saved, nil, "b")
            loop.drain()
            #expect(editor.seen == ["a", "b"])
        }
        #expect(weakEditor == nil)
        post(.saved, nil, "c")
        #expect(handle.hasEnded)
        #expect(living.value == 0)
        #expect(loop.drain() == 0)
    }

    @Test func OB_4_ST_4_a_stopped_handle_still_calls_for_what_was_posted() {
        let editor = Editor()
        let handle = centre.tell(editor, named: .saved, on: loop) { editor, _ in editor.note("") }
        post(.saved)
        handle.stop()
        post(.saved)
        loop.drain()
        #expect(editor.seen.count == 1)
    }

    @Test func OB_4_LT_4_the_centres_end_is_the_tokens() {
        var centre: NotificationCenter? = NotificationCenter()
        weak let weakCentre = centre
        let living = Shared(0)
        let counted = Counted(living)
        let token = centre!.onNotification(named: .saved, on: loop) { _ in counted.stay() }
        #expect(!token.hasEnded)
        centre = nil
        #expect(weakCentre == nil)
        #expect(token.hasEnded)
    }

    @Test func OB_4_DR_10_what_is_posted_for_a_loop_that_has_ended_is_dropped() {
        let living = Shared(0)
        let ended = DeliveryLoop {}
        var gone: DeliveryLoop? = DeliveryLoop {}
        let tokens = [ended, gone!].map { loop in
            centre.onNotification(named: .saved, on: loop) { _ in }
        }
        centre.post(name: .saved, object: Counted(living))
        ended.invalidate()
        gone = nil
        for _ in 0..<3 { centre.post(name: .saved, object: Counted(living)) }
        #expect(living.value == 0)
        withExtendedLifetime((tokens, gone)) {}
    }

    @Test func OB_4_DR_11_posts_inside_a_batch_come_behind_it() {
        let calls = Shared(0)
        let token = centre.onNotification(named: .saved, on: loop) { _ in
            calls.change { $0 += 1 }
        }
        withObservationBatch {
            post(.saved)
            loop.drain()
            #expect(calls.value == 0)
            post(.saved)
        }
        loop.drain()
        #expect(calls.value == 2)
        withExtendedLifetime(token) {}
    }

    @MainActor @Test func OB_4_TH_3_a_main_actor_block_is_called_there() async {
        let seen = Shared<[Bool]>([])
        let token = centre.onNotification(named: .saved) { @MainActor _ in
            MainActor.assertIsolated()
            let isMain = DeliveryLoop.main.pendingCount >= 0
            seen.change { $0.append(isMain) }
        }
        let centre = centre
        onThreads(1) { _ in centre.post(name: .saved, object: nil) }
        #expect(seen.value == [])
        DeliveryLoop.main.drain()
        #expect(seen.value == [true])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test func OB_4_TH_3_an_immediate_main_actor_block_waits_for_posts_of_others() async
    {
        let seen = Shared<[String]>([])
        let token = centre.onNotification(named: .saved, options: .immediate) {
            @MainActor notification in
            MainActor.assertIsolated()
            let text = notification.userInfo!["text"] as! String
            seen.change { $0.append(text) }
        }
        let centre = centre
        post(.saved, nil, "here")
        #expect(seen.value == ["here"])
        onThreads(2) { _ in
            centre.post(name: .saved, object: nil, userInfo: ["text": "there"])
        }
        #expect(seen.value == ["here"])
        DeliveryLoop.main.drain()
        #expect(seen.value == ["here", "there", "there"])
        withExtendedLifetime(token) {}
    }

    /// The block posts inside the call for one of those that wait.
    @MainActor @Test func OB_4_IM_4_what_an_immediate_block_posts_comes_behind_what_waits() async {
        let seen = Shared<[String]>([])
        let centre = centre
        let token = centre.onNotification(named: .saved, options: .immediate) {
            @MainActor notification in
            let text = notification.userInfo!["text"] as! String
            seen.change { $0.append(text) }
            if text == "a" {
                centre.post(name: .saved, object: nil, userInfo: ["text": "c"])
            }
        }
        onThreads(1) { _ in
            for text in ["a", "b"] {
                centre.post(name: .saved, object: nil, userInfo: ["text": text])
            }
        }
        DeliveryLoop.main.drain()
        #expect(seen.value == ["a", "b", "c"])
        withExtendedLifetime(token) {}
    }

    @Test func OB_4_what_is_refused_stands_in_the_token_and_observes_nothing() {
        let living = Shared(0)
        do {
            let counted = Counted(living)
            // Neither an isolation nor a loop says where.
            let token = centre.onNotification(named: .saved) { _ in counted.stay() }
            #expect(token.failure?.kind == .isolation)
        }
        post(.saved)
        #expect(living.value == 0)
    }
}
