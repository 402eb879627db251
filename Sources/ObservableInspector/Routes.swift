// SPDX-License-Identifier: Apache-2.0

#if Inspector
    import FlyingFox
    import Foundation
    import ObservableSwift

    /// The answers of the server:
    ///
    ///     /                          the page
    ///     /events                    what happens, as server-sent events
    ///     /graph?root=NAME&limit=N   the graph of a root, as ObservationGraph has it
    ///
    /// A request that names another host than this machine is refused: a page of another site,
    /// whose name was made to lead here, must not read this one. Nor does a page of another site
    /// ask the program, whose answer it could not read: that takes seats, and time of the program's.
    struct Routes: Sendable {
        static let limit = 100_000
        static let timeToBegin = Duration.seconds(2)

        let log: EventLog
        let roots: InspectedRoots
        private let seats = Seats(8)

        init(log: EventLog, roots: InspectedRoots) {
            self.log = log
            self.roots = roots
        }

        func answer(_ request: HTTPRequest) async -> HTTPResponse {
            guard Self.isLocal(request.headers[.host]) else {
                return refusal(.forbidden, "this page is for 127.0.0.1 alone")
            }
            guard request.method == .GET else {
                return refusal(.methodNotAllowed, "this page is read alone: GET")
            }
            guard request.path == "/" || Self.isOwn(request.headers[HTTPHeader("Sec-Fetch-Site")])
            else {
                return refusal(.forbidden, "this is for the page itself, of no other site")
            }
            switch request.path {
            case "/": return page()
            case "/events": return events()
            case "/graph": return await graph(request)
            default: return refusal(.notFound, "there is /, /events and /graph")
            }
        }

        private static func isLocal(_ host: String?) -> Bool {
            guard let host else { return false }
            let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return ["127.0.0.1", "localhost"].contains(parts[0].lowercased())
                && (parts.count == 1 || UInt16(parts[1]) != nil)
        }

        /// By what a browser says of who asks; others say nothing. `none`: a person, by the address.
        private static func isOwn(_ site: String?) -> Bool {
            site.map { ["same-origin", "none"].contains($0) } ?? true
        }

        /// Its script and its style have a word that nobody can know who writes names into it.
        private func page() -> HTTPResponse {
            let word = UUID().uuidString
            let text = String(decoding: PackageResources.page_html, as: UTF8.self)
                .replacingOccurrences(of: "NONCE", with: word)
            var response = response(
                .ok, "text/html; charset=utf-8", HTTPBodySequence(data: Data(text.utf8)))
            response.headers[HTTPHeader("Content-Security-Policy")] =
                "default-src 'none'; script-src 'nonce-\(word)'; style-src 'nonce-\(word)'; "
                + "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
            return response
        }

        private func events() -> HTTPResponse {
            guard let seat = seats.take() else {
                return refusal(.serviceUnavailable, "8 pages are open, which is all there may be")
            }
            let stream = EventStream(log: log, roots: roots, seat: seat)
            return response(
                .ok, "text/event-stream",
                HTTPBodySequence(from: stream, suggestedBufferSize: 1 << 16))
        }

        private func graph(_ request: HTTPRequest) async -> HTTPResponse {
            guard let name = request.query["root"] else {
                return refusal(.badRequest, "which root? /graph?root=NAME")
            }
            let limit = request.query["limit"].map { Int($0) ?? 0 } ?? 1000
            guard 1...Self.limit ~= limit else {
                return refusal(.badRequest, "the limit is a number from 1 to \(Self.limit)")
            }
            switch await roots.graph(of: name, limit: limit, within: Self.timeToBegin) {
            case .graph(let json):
                return response(.ok, "application/json", HTTPBodySequence(data: Data(json.utf8)))
            case .unknown:
                return refusal(.notFound, "the program has added no object of that name")
            case .gone:
                return refusal(.gone, "the object has gone")
            case .silent:
                return refusal(
                    .serviceUnavailable,
                    "nothing has run for two seconds where the object belongs, so it was not asked")
            }
        }

        private func refusal(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
            response(
                status, "text/plain; charset=utf-8",
                HTTPBodySequence(data: Data((text + "\n").utf8)))
        }

        private func response(
            _ status: HTTPStatusCode, _ type: String, _ body: HTTPBodySequence
        ) -> HTTPResponse {
            HTTPResponse(
                statusCode: status,
                headers: [
                    .contentType: type,
                    HTTPHeader("Cache-Control"): "no-store",
                    HTTPHeader("X-Content-Type-Options"): "nosniff",
                    HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
                    HTTPHeader("Referrer-Policy"): "no-referrer",
                ], body: body)
        }
    }
#endif
