// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Service

/// The service over real HTTP. One test at a time: a port that one gives back could be chosen by
/// another before it is taken again.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ReadingServiceTests {
    let client = Client()
    let service = ReadingService(source: Counter())

    @Test func aReading() async throws {
        let port = try await service.start()
        let answer = try await client.get(port: port)
        #expect(answer.status == 200)
        #expect(answer.type == "application/json")
        #expect(answer.caching == "no-store")
        let expected = await Counter().read()
        #expect(try JSONDecoder().decode(Reading.self, from: answer.body) == expected)
        await service.stop()
    }

    @Test func eachRequestTakesOne() async throws {
        let port = try await service.start()
        for time in 1...3 {
            #expect(try await client.reading(port: port).time == time)
        }
        await service.stop()
    }

    @Test(arguments: [("/", "GET"), ("/reading/1", "GET"), ("/other", "GET"), ("/reading", "POST")])
    func nothingElse(path: String, method: String) async throws {
        let port = try await service.start()
        #expect(try await client.get(path, method: method, port: port).status == 404)
        await service.stop()
    }

    @Test func cut() async throws {
        let port = try await service.start()
        await service.answer(.cut)
        let answer = try await client.get(port: port)
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(#"{"interfaces":"#))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Reading.self, from: answer.body)
        }
        await service.answer(.well)
        #expect(try await client.reading(port: port).source == "a counter")
        await service.stop()
    }

    @Test func nonsense() async throws {
        let port = try await service.start()
        await service.answer(.nonsense)
        let answer = try await client.get(port: port)
        #expect(answer.status == 200)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: answer.body) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Reading.self, from: answer.body)
        }
        await service.answer(.well)
        #expect(try await client.reading(port: port).source == "a counter")
        await service.stop()
    }

    @Test func muteUntilTheMannerChanges() async throws {
        let port = try await service.start()
        await service.answer(.mute)
        let request = Task { try await client.reading(port: port) }
        let held = try await heldRequests(otherThan: [])
        await service.answer(.mute)
        _ = try await heldRequests(otherThan: held)
        await service.answer(.well)
        #expect(try await request.value.time == 1)
        #expect(await service.held.isEmpty)
        await service.stop()
    }

    @Test func stopEndsAMuteRequest() async throws {
        let port = try await service.start()
        await service.answer(.mute)
        let request = Task { try await client.reading(port: port) }
        _ = try await heldRequests(otherThan: [])
        await service.stop()
        await #expect(throws: (any Error).self) { try await request.value }
        #expect(await service.held.isEmpty)
    }

    /// Waits until requests are not answered.
    func heldRequests(otherThan known: Set<UUID>) async throws -> Set<UUID> {
        while true {
            let held = await service.held
            if !held.isSubset(of: known) {
                return held
            }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func stopAndStartAgain() async throws {
        #expect(await !service.isRunning)
        let port = try await service.start()
        #expect(port != 0)
        for time in 1...3 {
            #expect(await service.isRunning)
            #expect(try await service.start() == port)
            #expect(try await client.reading(port: port).time == time)
            await service.stop()
            #expect(await !service.isRunning)
            await #expect(throws: URLError.self) { try await client.get(port: port) }
            await service.stop()
            #expect(try await service.start() == port)
        }
        await service.stop()
    }

    @Test func startsAtTheSameTime() async throws {
        async let one = service.start()
        async let other = service.start()
        #expect(try await one == other)
        async let end: Void = service.stop()
        async let again: Void = service.stop()
        _ = await (end, again)
        #expect(await !service.isRunning)
    }

    @Test func aTakenPort() async throws {
        let port = try await service.start()
        let second = ReadingService(source: Counter(), port: port)
        let error = await #expect(throws: ServiceError.self) { try await second.start() }
        #expect(error == .portTaken(port))
        #expect(error.map { "\($0)" } == "port \(port) is taken")
        #expect(await !second.isRunning)
        #expect(try await client.reading(port: port).time == 1)

        await service.stop()
        #expect(try await second.start() == port)
        #expect(try await client.reading(port: port).time == 1)
        await second.stop()
    }

    @Test func noOtherAddress() async throws {
        let port = try await service.start()
        await #expect(throws: URLError.self) {
            try await client.get(host: "127.0.0.2", port: port)
        }
        await service.stop()
    }

    @Test func aSourceOfNoUse() async throws {
        let broken = ReadingService(source: Broken())
        let port = try await broken.start()
        #expect(try await client.get(port: port).status == 500)
        await broken.stop()
    }

    #if os(Linux)
        @Test func aLostSocket() async throws {
            let port = try await service.start()
            loseListeningSocket(port: port)
            while await service.isRunning {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(try await service.start() == port)
            #expect(try await client.reading(port: port).time == 1)
            await service.stop()
        }
    #endif

    @Test func whoIsNotKeptStops() async throws {
        var dropped: ReadingService? = ReadingService(source: Counter())
        let port = try await dropped!.start()
        #expect(try await client.reading(port: port).time == 1)
        dropped = nil
        while (try? loopback(port: port)) == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

#if os(Linux)
    /// Shuts down the socket of this process that listens at the port, as the system may.
    private func loseListeningSocket(port: UInt16) {
        for file in Int32(0)..<1024 {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let failed = withUnsafeMutableBytes(of: &address) {
                getsockname(
                    file, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
            }
            var listens: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size)
            if failed == 0 && listens == 1 && address.sin_port == port.bigEndian {
                shutdown(file, Int32(SHUT_RDWR))
            }
        }
    }
#endif
