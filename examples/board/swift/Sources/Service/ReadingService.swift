// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
import Readings

/// Publishes a source's readings over HTTP: `GET /reading` is answered with one as JSON, everything
/// else with 404. Listens at 127.0.0.1 only, so no other machine sees anything.
///
/// Every request takes a reading of its own. May be used from anywhere, stopped and started again;
/// stops by itself when nobody keeps it. Prints nothing.
public actor ReadingService {
    /// How requests are answered; all but the first are there to see clients recover.
    public enum Manner: CaseIterable, Sendable {
        /// As they should be.
        case well
        /// With a JSON text that ends in its middle.
        case cut
        /// With JSON that is no reading.
        case nonsense
        /// Not at all: the request waits until the manner changes or the service stops, but no
        /// longer than 15 seconds; it gets status 500 then.
        case mute
    }

    private let source: any ReadingSource
    private var port: UInt16
    private var manner = Manner.well
    private var running: (server: HTTPServer, task: Task<Void, Never>)?
    /// The last start or stop that was asked for: the next one waits for it.
    private var last: Task<Void, Never>?
    /// Requests that are not answered for now.
    private var waiting: [UUID: AsyncStream<Never>.Continuation] = [:]

    /// - Parameter port: where to listen; 0 lets the system choose at the first start.
    public init(source: any ReadingSource, port: UInt16 = 0) {
        self.source = source
        self.port = port
    }

    deinit {
        running?.task.cancel()
    }

    /// Whether it listens. Becomes false also when the system takes the socket away.
    public var isRunning: Bool { running != nil }

    /// Begins to listen; does nothing when it does already.
    /// - Returns: the port, which later starts use again.
    /// - Throws: ServiceError, for instance when the port is taken. It may be tried again.
    @discardableResult
    public func start() async throws -> UInt16 {
        try await inTurn { service in
            try await service.listen()
        }
    }

    /// Closes the port and all connections, and returns when that is done.
    public func stop() async {
        try? await inTurn { service in
            await service.close()
        }
    }

    /// Changes how requests are answered, from the next one on; those that wait are answered now.
    public func answer(_ manner: Manner) {
        self.manner = manner
        for request in waiting.values {
            request.finish()
        }
    }
}

// MARK: - Starting and stopping

extension ReadingService {
    /// Starts and stops happen one behind the other, in the order in which they were asked for.
    private func inTurn<Value: Sendable>(
        _ step: @escaping @Sendable (isolated ReadingService) async throws -> Value
    ) async throws -> Value {
        let previous = last
        let task = Task {
            await previous?.value
            return try await step(self)
        }
        last = Task { _ = await task.result }
        return try await task.value
    }

    private func listen() async throws -> UInt16 {
        if running != nil {
            return port
        }
        let address = try loopback(port: port)
        let silent: DisabledLogger = .disabled
        let server = HTTPServer(address: address, logger: silent)
        await server.appendRoute("GET /reading") { [weak self] _ in
            try await self?.response() ?? HTTPResponse(statusCode: .serviceUnavailable)
        }
        let listening = Task { try await server.waitUntilListening(timeout: 60) }
        let task = Task { [weak self] in
            try? await server.run()
            listening.cancel()
            await self?.ended(server)
        }
        running = (server, task)
        try? await listening.value
        guard case .ip4(_, let chosen) = await server.listeningAddress, isRunning else {
            await close()
            throw ServiceError.cannotListen(port: port, reason: "the server ended at once")
        }
        port = chosen
        return chosen
    }

    private func close() async {
        guard let (server, task) = running else {
            return
        }
        running = nil
        await server.stop()
        await task.value
    }

    private func ended(_ server: HTTPServer) {
        if running?.server === server {
            running = nil
        }
    }
}

// MARK: - Answering

extension ReadingService {
    private func response() async throws -> HTTPResponse {
        while manner == .mute {
            try await waitForManner()
        }
        switch manner {
        case .well, .mute: return Self.json(try await text())
        case .cut:
            let whole = try await text()
            return Self.json(whole.prefix(whole.count / 2))
        case .nonsense: return Self.json(Data(#"{"weather":"fine"}"#.utf8))
        }
    }

    /// The requests that wait for another manner.
    var held: Set<UUID> { Set(waiting.keys) }

    /// Returns when the manner has been set; throws when the request is given up.
    private func waitForManner() async throws {
        let id = UUID()
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        waiting[id] = continuation
        defer { waiting[id] = nil }
        for await _ in stream {}
        try Task.checkCancellation()
    }

    /// A reading as JSON; read and written outside of the actor.
    private nonisolated func text() async throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(try await source.read())
    }

    private static func json(_ text: Data) -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: text)
    }
}
