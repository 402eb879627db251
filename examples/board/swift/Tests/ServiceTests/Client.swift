// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

@testable import Service

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP client that remembers nothing.
final class Client: Sendable {
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// What a request is answered with.
    struct Answer: Sendable {
        let status: Int
        let type: String?
        let caching: String?
        let body: Data
    }

    func get(
        _ path: String = "/reading", method: String = "GET", host: String = "127.0.0.1",
        port: UInt16
    ) async throws -> Answer {
        var request = URLRequest(url: URL(string: "http://\(host):\(port)\(path)")!)
        request.httpMethod = method
        let (body, response) = try await session.data(for: request)
        let answer = response as! HTTPURLResponse
        return Answer(
            status: answer.statusCode,
            type: answer.value(forHTTPHeaderField: "Content-Type"),
            caching: answer.value(forHTTPHeaderField: "Cache-Control"), body: body)
    }

    func reading(port: UInt16) async throws -> Reading {
        try JSONDecoder().decode(Reading.self, from: try await get(port: port).body)
    }
}

/// Counts its readings by their time.
actor Counter: ReadingSource {
    nonisolated let title = "a counter"
    private var time = 0

    func read() -> Reading {
        time += 1
        return Reading(
            source: title, time: time,
            load: Reading.load(one: 0.25, five: 0.5, fifteen: 1, running: 2, tasks: 3),
            memory: MemoryReading(total: 4, available: 3),
            interfaces: [InterfaceReading(name: "lo", received: 1, sent: 2)],
            processes: [
                ProcessReading(
                    pid: 1, start: 2, name: "\"ünï\"/?", state: "S", threads: 1, memory: 5, cpu: 6)
            ], vanished: 7, unreadable: 8)
    }
}

/// A source of no use.
struct Broken: ReadingSource {
    let title = "a broken one"

    func read() throws -> Reading {
        throw ServiceError.unreadable(file: title, reason: "gone")
    }
}
