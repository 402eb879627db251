// SPDX-License-Identifier: Apache-2.0

#if Inspector
    import FlyingFox
    import FlyingSocks
    import Foundation
    import ObservableSwift

    /// The server of the one page: it listens on loopback while it is on.
    actor InspectorServer {
        static let shared = InspectorServer()

        private enum State {
            case off
            /// On its way to be on.
            case beginning
            case on(HTTPServer, String)
            case ending(Task<Void, Never>)
        }

        nonisolated let roots = InspectedRoots()
        private var state = State.off

        func serve(_ port: Int) async throws(ObservationError) -> String {
            switch state {
            case .off: break
            case .beginning, .ending:
                throw ObservationError(.limit, "the page begins or ends at this moment")
            case .on(_, let address):
                throw ObservationError(.limit, "the page is served already, at \(address)")
            }
            guard let number = UInt16(exactly: port) else {
                throw ObservationError(.argument, "\(port) is no port: these are 0 to 65535")
            }
            state = .beginning
            let log = EventLog()
            let server: HTTPServer
            do {
                server = try await listen(number, Routes(log: log, roots: roots))
            } catch {
                state = .off
                throw ObservationError(
                    .argument, "port \(port) of 127.0.0.1 cannot be taken: \(error.reason)")
            }
            let address = "http://127.0.0.1:\(await server.port)/"
            state = .on(server, address)
            ObservationTrace.setReceiver(of: .product) { log.take($0.pointee) }
            return address
        }

        func stop() async {
            if case .on(let server, _) = state {
                ObservationTrace.setReceiver(of: .product, nil)
                state = .ending(
                    Task {
                        await server.stop(timeout: 0)
                        state = .off
                    })
            }
            // Of two at once neither returns before that.
            if case .ending(let end) = state { await end.value }
        }

        /// Returns when it listens.
        private func listen(_ port: UInt16, _ routes: Routes) async throws -> HTTPServer {
            let server = try HTTPServer(
                address: sockaddr_in.inet(ip4: "127.0.0.1", port: port),
                timeout: 120,  // seconds, which no look takes
                logger: .disabled,
                handler: ClosureHTTPHandler { await routes.answer($0) })
            let (beginnings, beginning) = AsyncThrowingStream<Void, any Error>.makeStream()
            let waiting = Task {
                try await server.waitUntilListening(timeout: 86400)  // or until it has failed
                beginning.yield()
            }
            Task {
                do {
                    try await server.run()
                } catch {
                    beginning.finish(throwing: error)
                }
                waiting.cancel()
                hasEnded(server)
            }
            // In a task that nobody cancels: it listens, or has said why it cannot.
            try await Task { for try await _ in beginnings { break } }.value
            return server
        }

        /// It may end by itself, where the system fails it.
        private func hasEnded(_ ended: HTTPServer) {
            guard case .on(let server, _) = state, server === ended else { return }
            state = .off
            ObservationTrace.setReceiver(of: .product, nil)
        }
    }

    extension HTTPServer {
        fileprivate var port: UInt16 {
            guard case .ip4(_, let port) = listeningAddress else { return 0 }
            return port
        }
    }

    extension Error {
        /// The system's words, where it is the system's.
        fileprivate var reason: String {
            if case .failed(_, _, let message)? = self as? SocketError { return message }
            return localizedDescription
        }
    }
#endif
