// SPDX-License-Identifier: Apache-2.0
//
// BI-6: what any AsyncSequence yields is set on a property, where the target belongs.

import ObservableSwift
import Testing

private struct Failure: Error {}

/// Belongs to nobody by its type; says each set.
private final class Mail: ObservableModel {
    let wasSet = Event()
    var seen: [String] = []
    @Observed var status = "" {
        didSet {
            seen.append(status)
            wasSet.happen()
        }
    }
    @Observed var note: String?
    @Observed var next: Mail?
    let constant = ""
    private let probe: Probe?

    init(_ died: Shared<Int>? = nil) {
        probe = died.map(Probe.init)
    }
}

@MainActor private final class Account: ObservableHost {
    nonisolated let observation = ObservationHeader()
    let wasSet = Event()
    @Observed var status = "" {
        didSet { wasSet.happen() }
    }
}

/// An actor with a model of its own.
private actor Clerk {
    private let mail = Mail()
    private var token: ObservationToken?

    func follow(_ stream: AsyncStream<String>) -> Event {
        token = stream.assign(to: \.status, of: mail)
        #expect(token?.failure == nil)
        return mail.wasSet
    }

    func seen() -> [String] { mail.seen }
}

/// Without an isolation of its own.
private func assigned(_ stream: AsyncStream<String>, _ mail: Mail) -> ObservationToken {
    stream.assign(to: \.status, of: mail)
}

@MainActor @Suite(.timeLimit(.minutes(1))) struct AssignSequenceTests {
    private let stream: AsyncStream<String>
    private let source: AsyncStream<String>.Continuation
    private let mail = Mail()

    init() {
        (stream, source) = AsyncStream.makeStream()
    }

    /// Lets other tasks of this actor go on until the token's sequence has ended.
    private func end(of token: ObservationToken) async {
        while !token.hasEnded { await Task.yield() }
    }

    @Test func BI_6_every_element_is_set_in_its_order() async {
        source.yield("a")
        let token = stream.assign(to: \.status, of: mail)
        #expect(token.failure == nil && !token.hasEnded && mail.seen == [])
        await mail.wasSet.come()
        #expect(mail.seen == ["a"])
        source.yield("b")
        source.yield("c")
        await mail.wasSet.come()
        await mail.wasSet.come()
        #expect(mail.seen == ["a", "b", "c"])
        source.finish()
        await end(of: token)
        #expect(mail.status == "c")
    }

    @Test func BI_6_a_set_is_told_to_observers() async {
        let token = stream.assign(to: \.status, of: mail)
        source.yield("a")
        for await status in mail.values(of: \.status) where status == "a" { break }
        token.cancel()
        #expect(mail.status == "a")
    }

    @Test func BI_6_the_path_may_lead_on_and_its_end_may_be_optional() async {
        let token = stream.assign(to: \.next?.note, of: mail)
        let (optional, others) = AsyncStream.makeStream(of: String?.self)
        let other = optional.assign(to: \.note, of: mail)
        // Nothing is there yet: it passes.
        source.yield("a")
        others.yield("x")
        for await note in mail.values(of: \.note) where note == "x" { break }
        mail.next = Mail()
        source.yield("b")
        others.yield(nil)
        for await note in mail.values(of: \.next?.note) where note == "b" { break }
        for await note in mail.values(of: \.note) where note == nil { break }
        withExtendedLifetime((token, other)) {}
    }

    // MARK: - Where

    @Test func BI_6_TH_3_a_model_of_the_main_actor_is_set_there() async {
        let account = Account()
        let token = stream.assign(to: \.status, of: account)
        source.yield("a")
        await account.wasSet.come()
        #expect(account.status == "a")
        withExtendedLifetime(token) {}
    }

    @Test func BI_6_TH_3_a_model_of_an_actor_is_set_there() async {
        let clerk = Clerk()
        let wasSet = await clerk.follow(stream)
        source.yield("a")
        await wasSet.come()
        #expect(await clerk.seen() == ["a"])
    }

    @Test func BI_6_TH_3_code_without_an_isolation_assigns_on_the_main_loop() async {
        let token = assigned(stream, mail)
        #expect(token.failure == nil)
        source.yield("a")
        await mail.wasSet.come()
        #expect(mail.seen == ["a"])
        withExtendedLifetime(token) {}
    }

    @Test func BI_6_what_cannot_be_assigned_is_refused() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.setHandler { _ in }
            let (stream, _) = AsyncStream.makeStream(of: String.self)
            let elsewhere = assigned(stream, Mail())
            #expect(elsewhere.failure?.kind == .isolation && elsewhere.hasEnded)
            await MainActor.run {
                let constant = stream.assign(to: \.constant, of: Mail())
                #expect(constant.failure?.kind == .unsupportedElement && constant.hasEnded)
            }
        }
    }

    // MARK: - Its end

    @Test func BI_6_the_end_of_the_token_cancels() async {
        let ended = Event()
        for isKept in [true, false] {
            let (stream, source) = AsyncStream.makeStream(of: String.self)
            source.onTermination = { if case .cancelled = $0 { ended.happen() } }
            var token: ObservationToken? = stream.assign(to: \.status, of: mail)
            if isKept { token?.cancel() } else { token = nil }
            #expect(token?.hasEnded ?? true)
            source.yield("a")
            await ended.come()
        }
        #expect(mail.seen == [])
    }

    @Test func BI_6_nothing_is_set_behind_the_end_of_the_token() async {
        let died = Shared(0)
        do {
            let probe = Probe(died)
            let token = stream.assign(to: \.status, of: mail) { _ in probe.stay() }
            source.yield("a")
            await mail.wasSet.come()
            // The task has this one, and has not gone on.
            source.yield("b")
            token.cancel()
        }
        while died.value == 0 { await Task.yield() }
        #expect(mail.seen == ["a"])
    }

    @Test func BI_6_LT_1_the_end_of_the_target_cancels_which_nobody_keeps() async {
        let (ended, died) = (Event(), Shared(0))
        source.onTermination = { if case .cancelled = $0 { ended.happen() } }
        var mail: Mail? = Mail(died)
        let token = stream.assign(to: \.status, of: mail!)
        source.yield("a")
        await mail!.wasSet.come()
        mail = nil
        #expect(died.value == 1 && token.hasEnded)
        await ended.come()
    }

    @Test func BI_6_LT_9_what_it_captures_goes_with_it() async {
        let died = Shared(0)
        do {
            let probe = Probe(died)
            let token = stream.assign(to: \.status, of: mail) { _ in probe.stay() }
            source.yield("a")
            await mail.wasSet.come()
            token.cancel()
        }
        while died.value == 0 { await Task.yield() }
    }

    @Test func BI_6_an_error_is_told_and_the_last_element_stays() async {
        let (stream, source) = AsyncThrowingStream.makeStream(of: String.self)
        let told = Event()
        var isFailed = false
        let token = stream.assign(to: \.status, of: mail) { error in
            isFailed = error is Failure
            told.happen()
        }
        source.yield("a")
        source.finish(throwing: Failure())
        await told.come()
        #expect(isFailed && token.hasEnded && mail.status == "a")
    }

    @Test func BI_6_an_error_behind_the_end_is_not_told() async {
        let (died, stream) = (Shared(0), NeverEnding())
        do {
            let probe = Probe(died)
            let token = stream.assign(to: \.status, of: mail) { error in
                probe.stay()
                Issue.record(error)
            }
            await stream.isWaiting.come()
            token.cancel()
        }
        while died.value == 0 { await Task.yield() }
    }

    @Test func BI_6_without_a_block_diagnostics_are_told_the_error() async {
        await #expect(processExitsWith: .success) {
            let told = Event()
            let reports = Shared<[String]>([])
            ObservationDiagnostics.setHandler { report in
                reports.change { $0.append(report.text) }
                told.happen()
            }
            let (stream, source) = AsyncThrowingStream.makeStream(of: String.self)
            let token = await MainActor.run {
                let mail = Mail()
                let token = stream.assign(to: \.status, of: mail)
                return (token, Handed(mail))
            }
            source.finish(throwing: Failure())
            await told.come()
            #expect(reports.value == ["a sequence that is assigned has failed: Failure()"])
            withExtendedLifetime(token) {}
        }
    }
}

/// Throws when it is cancelled, and yields nothing.
private struct NeverEnding: AsyncSequence, AsyncIteratorProtocol {
    let isWaiting = Event()

    func makeAsyncIterator() -> NeverEnding { self }

    func next() async throws -> String? {
        isWaiting.happen()
        while true {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
