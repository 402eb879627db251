// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to the service. It is given up after a time of one's own choice, for Foundation on
/// Linux waits on as long as bytes drip in, and where the answer grows past every reading.
final class Request: NSObject, URLSessionDataDelegate {
    struct Answer {
        var status = 0
        var body = Data()
    }

    private struct State {
        var answer = Answer()
        var result: Result<Answer, Trouble>?
        var isComplete = false  // the task of the session
        var waiting: CheckedContinuation<Result<Answer, Trouble>, Never>?
    }

    private static let longest = 1 << 24
    /// A proxy of the user's knows nothing of this machine's loopback. Foundation on Linux is told
    /// so by the environment only.
    private static let askDirectly: Void = { setenv("no_proxy", "127.0.0.1", 1) }()
    private let port: UInt16
    private let state = Mutex(State())

    init(port: UInt16) {
        self.port = port
    }

    /// Asks, once.
    func answer(within patience: Duration) async throws(Trouble) -> Answer {
        Self.askDirectly
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { end(session) }
        session.dataTask(with: URL(string: "http://127.0.0.1:\(port)/reading")!).resume()
        let timer = Task {
            try await Task.sleep(for: patience)
            finish(.failure(.silent))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation(wait)
        } onCancel: {
            finish(.failure(.silent))
        }.get()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        state.withLock { $0.answer.status = status }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let length = state.withLock {
            $0.answer.body.append(data)
            return $0.answer.body.count
        }
        if length > Self.longest {
            finish(.failure(.nonsense))
            dataTask.cancel()
        }
    }

    /// Nobody else is asked.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        state.withLock { $0.isComplete = true }
        if let error {
            let begun = state.withLock { $0.answer.status != 0 }
            finish(.failure(Trouble(error, port: port, begun: begun)))
        } else {
            finish(.success(state.withLock { $0.answer }))
        }
    }

    /// Foundation on Linux traps if a task is cancelled that is complete. So that is asked where the
    /// task completes, on the delegate's queue; a task that looks into a cache begins elsewhere.
    private func end(_ session: URLSession) {
        session.delegateQueue.addOperation { [self] in
            if state.withLock({ $0.isComplete }) {
                session.finishTasksAndInvalidate()
            } else {
                session.invalidateAndCancel()
            }
        }
    }

    private func wait(_ continuation: CheckedContinuation<Result<Answer, Trouble>, Never>) {
        let result = state.withLock {
            if $0.result == nil { $0.waiting = continuation }
            return $0.result
        }
        if let result { continuation.resume(returning: result) }
    }

    /// What comes first stands.
    private func finish(_ result: Result<Answer, Trouble>) {
        let waiting = state.withLock {
            let waiting = $0.waiting
            $0.waiting = nil
            if $0.result == nil { $0.result = result }
            return waiting
        }
        waiting?.resume(returning: result)
    }
}

extension Trouble {
    /// - Parameter begun: whether something of the answer had come already.
    fileprivate init(_ error: any Error, port: UInt16, begun: Bool) {
        switch (error as? URLError)?.code {
        case .timedOut, .cancelled: self = .silent
        case .cannotConnectToHost: self = .refused(port: port)
        // What is not HTTP is taken for an older HTTP, which is unsupported.
        case .unsupportedURL, .cannotParseResponse: self = .nonsense
        case .networkConnectionLost, .badServerResponse: self = .cut
        default: self = begun ? .cut : .unreachable(error.localizedDescription)
        }
    }
}
