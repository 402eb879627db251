// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObservableInspector
import ObservableSwift
import Testing

// A process has one page, so the tests take turns. None waits for a time but for what comes over a
// connection.

final class Address: ObservableModel {
    @Observed var city = ""
}

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var address: Address?
    @Observed var friends = ObservableArray<User>()
    @Computed({ (user: User) in user.name.count }) var length: Int
}

struct Graph: Decodable {
    struct Object: Decodable { let `class`: String }
    struct Property: Decodable { let name: String }
    struct Observation: Decodable {
        let label, path, file: String?
        let pending: Bool
    }
    let objects: [Object]
    let properties: [Property]
    let observations: [Observation]
    let cut: Bool
}

/// Serves the page for a test; an earlier test's ends.
func served() async throws -> Browser {
    await ObservationInspector.stopServing()
    return try await browser(of: ObservationInspector.serve())
}

func browser(of address: String) throws -> Browser {
    try Browser(port: #require(URL(string: address)?.port))
}

func graph(_ answer: Answer) throws -> Graph {
    try JSONDecoder().decode(Graph.self, from: Data(answer.body.utf8))
}

@Suite(.serialized, .timeLimit(.minutes(3))) @MainActor struct InspectorTests {
    // MARK: - The page

    @Test func the_page_asks_no_other_host_and_runs_its_own_script_alone() async throws {
        let browser = try await served()
        let answer = try await browser.get("/")
        #expect(answer.status == 200)
        let word = try #require(answer.head.firstMatch(of: /script-src 'nonce-([0-9A-F-]+)'/)).1
        #expect(answer.head.contains("Content-Security-Policy: default-src 'none';"))
        #expect(answer.body.contains("<script nonce=\"\(word)\">"))
        #expect(answer.body.contains("<style nonce=\"\(word)\">"))
        let again = try await browser.get("/")
        #expect(!again.head.contains(word))
        let hosts = answer.body.matches(of: /https?:\/\/([^\/"']+)/).map(\.1)
        #expect(hosts == ["www.w3.org"])  // the name of SVG, which nobody asks for
        #expect(!answer.body.contains("innerHTML"))
    }

    @Test(arguments: [
        "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1",
        "localhost:1:2", "localhost:x", "", "0.0.0.0",
    ])
    func another_host_is_refused(host: String) async throws {
        let browser = try await served()
        for target in ["/", "/events", "/graph?root=user"] {
            let answer = try await browser.get(target, host: host)
            #expect(answer.status == 403)
            #expect(!answer.body.contains("html"))
        }
    }

    @Test func this_machine_is_answered_by_either_name() async throws {
        let browser = try await served()
        for host in ["localhost", "LOCALHOST:\(browser.port)", "127.0.0.1"] {
            #expect(try await browser.get("/", host: host).status == 200)
        }
    }

    @Test(arguments: ["cross-site", "same-site"])
    func a_page_of_another_site_asks_nothing_of_the_program(site: String) async throws {
        let browser = try await served()
        for target in ["/events", "/graph?root=user"] {
            #expect(try await browser.get(target, site: site).status == 403)
            #expect(try await browser.get(target, host: "localhost", site: site).status == 403)
        }
        #expect(try await browser.get("/", site: site).status == 200)  // a link may lead there
        for own in ["same-origin", "none"] {
            #expect(try await browser.get("/graph", site: own).status == 400)
        }
    }

    @Test func bad_requests_are_answered_with_their_mistake() async throws {
        let browser = try await served()
        #expect(try await browser.get("/other").status == 404)
        #expect(try await browser.get("/", method: "POST").status == 405)
        #expect(try await browser.get("/graph").status == 400)
        #expect(try await browser.graph("nobody").status == 404)
        for limit in ["0", "-1", "x", "100001", "99999999999999999999"] {
            let answer = try await browser.get("/graph?root=a&limit=\(limit)")
            #expect(answer.status == 400)
            #expect(answer.body == "the limit is a number from 1 to 100000\n")
        }
    }

    // MARK: - Graphs

    @Test func DB_5_a_root_is_shown_with_its_observers_whatever_its_names_are() async throws {
        let user = User(), home = Address()
        user.address = home
        let label: StaticString = "<img src=x onerror=\"alert(1)\">\n\u{202e}"
        let loop = DeliveryLoop()
        let token = user.values(of: \.address?.city).on(loop).named(label).onChange { _ in }
        loop.drain()
        home.city = "Linz"
        ObservationInspector.add(user, name: "a <b>&\u{1b}[31m user")
        let browser = try await served()
        let shown = try graph(await browser.graph("a <b>&\u{1b}[31m user"))
        #expect(shown.objects.map(\.class) == ["User", "Address"])
        let ends = shown.observations.filter { $0.path == "address.city" }
        #expect(ends.count == 2)
        #expect(ends.allSatisfy { $0.label == "\(label)" && $0.pending })
        #expect(ends[0].file?.hasSuffix("InspectorTests.swift") == true)
        withExtendedLifetime((token, user)) {}
    }

    @Test func an_object_that_has_gone_is_not_kept_and_said_to_be_gone() async throws {
        weak var gone: User?
        do {
            let user = User()
            gone = user
            ObservationInspector.add(user, name: "short")
        }
        #expect(gone == nil)
        let browser = try await served()
        #expect(try await browser.graph("short").status == 410)
        #expect(try await browser.graph("short").status == 404)
    }

    @Test func a_name_goes_to_the_object_that_comes_last() async throws {
        let user = User(), address = Address()
        ObservationInspector.add(user, name: "taken")
        ObservationInspector.add(address, name: "taken")
        let browser = try await served()
        let shown = try graph(await browser.graph("taken"))
        #expect(shown.objects.map(\.class) == ["Address"])
        let stream = try await browser.open()
        let message = try #require(try await stream.next())
        #expect(message.roots.filter { $0 == "taken" }.count == 1)
        withExtendedLifetime((user, address)) {}
    }

    @Test func TH_1_an_object_is_looked_at_where_it_belongs_alone() async throws {
        let user = User()
        ObservationInspector.add(user, name: "main")
        let (isHeld, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let browser = try await served()
        // The main actor is busy until the answer has come.
        let answer = Task.detached {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    isHeld.wait(); continuation.resume()
                }
            }
            defer { hold.signal() }
            return try await browser.graph("main")
        }
        isHeld.signal()
        waitForItself(hold)
        let silent = try await answer.value
        #expect(silent.status == 503)
        #expect(silent.body.contains("nothing has run for two seconds where the object belongs"))
        #expect(try await browser.graph("main").status == 200)
        withExtendedLifetime(user) {}
    }

    @Test func TH_1_objects_of_an_actor_and_of_a_queue_are_looked_at_there() async throws {
        let keeper = Keeper()
        await keeper.show("of an actor")
        let queue = DispatchQueue(label: "queue")
        let loop = DeliveryLoop(queue: queue)
        nonisolated(unsafe) let user = User()
        ObservationInspector.add(user, name: "of a queue", on: loop)
        let browser = try await served()
        #expect(try graph(await browser.graph("of an actor")).objects.count == 1)
        #expect(try graph(await browser.graph("of a queue")).objects.count == 1)
        queue.suspend()
        #expect(try await browser.graph("of a queue").status == 503)
        queue.resume()
        #expect(try await browser.graph("of a queue").status == 200)
        withExtendedLifetime((keeper, user, loop)) {}
    }

    @Test func an_actor_that_has_gone_has_no_objects() async throws {
        var keeper: Keeper? = Keeper()
        let user = User()
        ObservationInspector.add(user, name: "of nobody", on: DeliveryLoop(actor: keeper!))
        keeper = nil
        let browser = try await served()
        #expect(try await browser.graph("of nobody").status == 410)
        withExtendedLifetime(user) {}
    }

    @Test func an_object_of_a_loop_that_the_program_drains_is_refused() async throws {
        let reports = Reports()
        ObservationDiagnostics.setHandler { reports.add($0) }
        let user = User(), loop = DeliveryLoop()
        ObservationInspector.add(user, name: "by hand", on: loop)
        ObservationDiagnostics.setHandler(nil)
        #expect(reports.all.map(\.kind) == [.refused])
        #expect(reports.all.first?.text.contains("a loop that the program drains") == true)
        let browser = try await served()
        #expect(try await browser.graph("by hand").status == 404)
    }

    @Test func many_objects_are_cut_and_it_is_said() async throws {
        let user = User()
        user.friends.append(contentsOf: (0..<5000).map { _ in User() })
        let token = user.record(of: \.[text: "friends.*.name"]).onChange { _ in }
        ObservationInspector.add(user, name: "many")
        let browser = try await served()
        let few = try graph(await browser.graph("many", limit: 100))
        #expect(few.objects.count == 100)
        #expect(few.cut)
        let all = try graph(await browser.graph("many", limit: 100_000))
        #expect(all.objects.count == 5002)
        #expect(!all.cut)
        withExtendedLifetime((token, user)) {}
    }

    // MARK: - Events

    @Test func DB_4_a_set_a_call_and_its_line_are_told_as_they_happen() async throws {
        let user = User()
        let token = user.values(of: \.name).named("live").onChange { _ in }
        DeliveryLoop.main.drain()
        let browser = try await served()
        let stream = try await browser.open()
        withObservationCause { user.name = "Ada" }
        DeliveryLoop.main.drain()
        let due = try #require(
            try await stream.next { $0.kind == "due" && $0.label == "live" })
        #expect(due.property == "name" && due.type == "User")
        #expect(due.file?.hasSuffix("InspectorTests.swift") == true && due.line > 0)
        user.name = "Bea"
        DeliveryLoop.main.drain()
        let call = try #require(
            try await stream.next { $0.kind == "call" && $0.label == "live" })
        #expect(call.observation == due.observation)
        #expect(call.begunFile?.hasSuffix("InspectorTests.swift") == true)
        withExtendedLifetime(token) {}
    }

    @Test func a_page_that_is_opened_later_has_the_newest_events() async throws {
        let user = User()
        let browser = try await served()
        for number in 0..<1500 { user.name = "\(number)" }
        let message = try #require(try await browser.open().next())
        #expect(message.events.count == 1000)
        #expect(message.missed == 0)
        #expect(message.kinds["changed"] == 1500)
    }

    @Test func a_page_that_does_not_read_is_told_how_much_it_has_missed() async throws {
        let user = User()
        let browser = try await served()
        let stream = try await browser.open()
        let begin = try #require(try await stream.next())
        var told = begin.events.count, missed = begin.missed
        for number in 0..<20_000 { user.name = "\(number)" }
        user.name = "last"
        while let message = try await stream.next() {
            told += message.events.count
            missed += message.missed
            #expect(message.events.count <= 1000)
            if message.kinds["changed"] == 20_001 { break }
        }
        #expect(missed > 0)
        #expect(told + missed == 20_001)
    }

    @Test func lines_for_the_program_are_told_beside_the_page() async throws {
        let user = User()
        let lines = Lines()
        ObservationTrace.setHandler { lines.add($0) }
        let browser = try await served()
        let stream = try await browser.open()
        user.name = "both"
        _ = try #require(try await stream.next { $0.kind == "changed" })
        #expect(lines.count > 0)
        let before = lines.count
        user.name = "the program alone"
        #expect(lines.count > before)
        ObservationTrace.setHandler(nil)
    }

    @Test func browsers_that_have_gone_leave_their_seats() async throws {
        let browser = try await served()
        var streams: [Stream] = []
        for _ in 0..<8 { streams.append(try await browser.open()) }
        #expect(streams.allSatisfy { $0.status == 200 })
        #expect(try await browser.open().status == 503)
        streams = []
        var status = 503
        let limit = ContinuousClock.now + .seconds(30)
        while status == 503, ContinuousClock.now < limit {
            status = try await browser.open().status
        }
        #expect(status == 200)
    }

    // MARK: - Beginning and ending

    @Test func it_is_served_once_and_says_where() async throws {
        await ObservationInspector.stopServing()
        let address = try await ObservationInspector.serve()
        let error = await #expect(throws: ObservationError.self) {
            try await ObservationInspector.serve()
        }
        #expect(error?.kind == .limit)
        #expect(error?.message == "the page is served already, at \(address)")
        #expect(try await browser(of: address).get("/").status == 200)
        await ObservationInspector.stopServing()
        await ObservationInspector.stopServing()
    }

    @Test func a_port_that_is_taken_is_said_with_its_number() async throws {
        await ObservationInspector.stopServing()
        let taken = try Listener()
        let error = await #expect(throws: ObservationError.self) {
            try await ObservationInspector.serve(port: taken.port)
        }
        #expect(error?.kind == .argument)
        #expect(
            error?.message
                == "port \(taken.port) of 127.0.0.1 cannot be taken: Address already in use")
        let browser = try await served()  // and it is off
        #expect(try await browser.get("/").status == 200)
    }

    @Test(arguments: [-1, 65536, .max, .min])
    func a_number_that_is_no_port_is_refused(port: Int) async {
        await ObservationInspector.stopServing()
        let error = await #expect(throws: ObservationError.self) {
            try await ObservationInspector.serve(port: port)
        }
        #expect(error?.message == "\(port) is no port: these are 0 to 65535")
    }

    @Test func it_is_served_for_a_task_that_is_cancelled() async throws {
        await ObservationInspector.stopServing()
        let address = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ObservationInspector.serve()
        }.value
        #expect(try await browser(of: address).get("/").status == 200)
    }

    @Test func each_of_two_that_end_it_returns_when_the_port_is_free() async throws {
        let port = try await served().port
        for _ in 0..<50 {
            async let other: Void = ObservationInspector.stopServing()
            await ObservationInspector.stopServing()
            try await ObservationInspector.serve(port: port)
            await other
            await ObservationInspector.stopServing()
            try await ObservationInspector.serve(port: port)
        }
    }

    @Test func its_end_ends_the_streams_and_gives_the_port_back() async throws {
        let browser = try await served()
        let streams = [try await browser.open(), try await browser.open()]
        await ObservationInspector.stopServing()
        for stream in streams {
            #expect(try await stream.ends())
        }
        #expect(
            try await ObservationInspector.serve(port: browser.port)
                == "http://127.0.0.1:\(browser.port)/")
        #expect(try await browser.get("/").status == 200)
        await ObservationInspector.stopServing()
        #expect(throws: (any Error).self) { try Connection(port: browser.port) }
    }
}

/// Blocks the thread: not for asynchronous code, but where that is the point.
private func waitForItself(_ semaphore: DispatchSemaphore) { semaphore.wait() }

private actor Keeper {
    private let user = User()
    func show(_ name: String) { ObservationInspector.add(user, name: name) }
}

private final class Reports: @unchecked Sendable {
    private let lock = NSLock()
    private var reports: [ObservationDiagnostics.Report] = []
    func add(_ report: ObservationDiagnostics.Report) { lock.withLock { reports.append(report) } }
    var all: [ObservationDiagnostics.Report] { lock.withLock { reports } }
}

private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    func add(_ line: String) { lock.withLock { number += 1 } }
    var count: Int { lock.withLock { number } }
}
