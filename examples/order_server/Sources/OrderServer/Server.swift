// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Hummingbird
public import Logging
import Metrics
internal import ObservableSwift
import ServiceLifecycle

/// The shop on 127.0.0.1, at a port that the system chooses or that is given.
///
///     GET    /orders          all orders
///     POST   /orders          {"items": 3}: a new one
///     PUT    /orders/NUMBER   {"items": 4, "isReady": true}: both or one of them
///     DELETE /orders/NUMBER   it is handed over
///     GET    /events          all orders, then what changes: server-sent events
public func orderServer(
    of shop: Shop, port: Int = 0, logger: Logger = Logger(label: "orders"),
    onServerRunning: @escaping @Sendable (Int) -> Void = { _ in }
) -> some ApplicationProtocol {
    let router = Router()
    router.get("orders") { _, _ in await shop.states() }
    router.post("orders") { request, context in
        try await found(shop.place(request.decode(as: Wish.self, context: context)))
    }
    router.put("orders/:number") { request, context in
        let wish = try await request.decode(as: Wish.self, context: context)
        return try await found(shop.change(number(context), wish))
    }
    router.delete("orders/:number") { _, context in
        try await found(shop.hand(over: number(context)))
    }
    router.get("events") { request, _ in
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await serve(shop, to: request, &writer)
                try await writer.finish(nil)
            })
    }
    return Application(
        router: router,
        configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "orders"),
        services: [OrderMetrics(shop: shop)],
        onServerRunning: { onServerRunning($0.localAddress?.port ?? 0) },
        logger: logger)
}

/// A client's connection is a task, and its sequence lives as long as that. A client that hangs up cancels
/// it; when the server ends, the shop closes, and the sequence ends with its last event.
private func serve(
    _ shop: Shop, to request: Request, _ writer: inout any ResponseBodyWriter
) async throws {
    let encoder = JSONEncoder()
    try await request.body.consumeWithCancellationOnInboundClose { _ in
        try await withGracefulShutdownHandler {
            guard var (event, rest) = await shop.follow() else { return }
            while true {
                // The next event waits in the sequence until the client has taken this one.
                let data = try Data("data: ".utf8) + encoder.encode(event) + Data("\n\n".utf8)
                try await writer.write(ByteBuffer(bytes: data))
                guard let next = await rest.next(isolation: nil) else { return }
                event = next
            }
        } onGracefulShutdown: {
            Task { await shop.close() }
        }
    }
}

/// Tells the metrics system the newest number of orders that wait.
struct OrderMetrics: Service {
    let shop: Shop

    func run() async throws {
        await withGracefulShutdownHandler {
            guard let waiting = await shop.waiting() else { return }
            let gauge = Gauge(label: "orders_waiting")
            for await count in waiting { gauge.record(count ?? 0) }
        } onGracefulShutdown: {
            Task { await shop.close() }
        }
        // The shop may be closed before its turn to end has come.
        try await gracefulShutdown()
    }
}

// MARK: - Requests

extension OrderState: ResponseEncodable {}

private func number(_ context: some RequestContext) throws -> Int {
    try context.parameters.require("number", as: Int.self)
}

private func found(_ state: OrderState?) throws -> OrderState {
    guard let state else { throw HTTPError(.notFound) }
    return state
}
