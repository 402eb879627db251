// SPDX-License-Identifier: Apache-2.0
//
// Fifty clients of an order server of their own, on loopback: each follows the orders while it changes some.
//
//     order_clients                   2,150 changes
//     order_clients --seconds 20      as many as come to pass
//
// It prints what holds, which output.txt says, and its figures on standard error.

import Foundation
import Logging
import Metrics
import MetricsTestKit
import ObservableSwift
import OrderServer
import ServiceLifecycle

/// What the clients have done and seen, and what there is at the end.
struct Day: Sendable {
    var changes = 0
    var replicas: [Replica] = []
    var hungUp: [Replica] = []
    var orders: [OrderState] = []
    var traces: [Trace] = []
}

/// A weak reference to what was the shop's, with which nothing is done but to see whether it has gone.
struct Trace: @unchecked Sendable {
    weak let object: AnyObject?
}

extension Shop {
    func traces() -> [Trace] {
        let objects: [AnyObject?] = [self, board, board?.orders]
        return (objects + (board?.orders ?? []).map { $0 }).map { Trace(object: $0) }
    }
}

/// Serves a shop until the clients are through.
///
/// - Parameters:
///   - clients: how many follow the orders, and change some.
///   - leaving: how many more hang up in the middle.
///   - goesOn: whether a client with so many changes makes another one.
func day(
    clients: Int, leaving: Int, while goesOn: @escaping @Sendable (Int) -> Bool
) async throws -> Day {
    let shop = Shop()
    var logger = Logger(label: "orders")
    logger.logLevel = .error
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = orderServer(of: shop, logger: logger) { port.yield($0) }
    let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
    async let running: () = group.run()
    let there = await ports.first { _ in true }!

    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    async let watching = all(clients) { _ in try await watch(there) { opening.yield() } }
    async let hangingUp = all(leaving) { number in
        try await watch(there, limit: 2 + number) { opening.yield() }
    }
    for await _ in openings.prefix(clients + leaving) {}

    var day = Day()
    day.changes = try await all(clients) { _ in try await change(there, while: goesOn) }
        .reduce(0, +)
    day.hungUp = try await hangingUp
    day.orders = await shop.states()
    day.traces = await shop.traces()
    // What has changed last may be on its way: the events end behind that.
    await group.triggerGracefulShutdown()
    day.replicas = try await watching
    try await running
    return day
}

/// So many at the same time.
func all<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup { group in
        for number in 0..<count { group.addTask { try await body(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

var hasFailed = false
@MainActor func check(_ what: String, _ holds: Bool, _ why: @autoclosure () -> String = "") {
    print(holds ? what : "not: \(what); \(why())")
    hasFailed = hasFailed || !holds
}

/// What is left of the shop, once its tasks have had the time to end.
func left(of traces: [Trace], observations: Int) async -> (objects: Int, observations: Int) {
    var left = (objects: 0, observations: 0)
    for _ in 0..<1_000_000 {
        left.objects = traces.count { $0.object != nil }
        left.observations = ObservationCounters.current.observations - observations
        if left == (0, 0) { break }
        await Task.yield()
    }
    return left
}

let seconds = CommandLine.arguments.count == 3 ? Int(CommandLine.arguments[2]) : nil
if CommandLine.arguments.count > 1, CommandLine.arguments[1] != "--seconds" || seconds == nil {
    print("usage: order_clients [--seconds N]")
    exit(2)
}

let metrics = TestMetrics()
MetricsSystem.bootstrap(metrics)
let before = ObservationCounters.current.observations
let end = seconds.map { ContinuousClock.now + .seconds($0) }
let today = try await day(clients: 50, leaving: 5) { changes in
    end.map { .now < $0 } ?? (changes < 43)
}

let orders = Dictionary(uniqueKeysWithValues: today.orders.map { ($0.number, $0) })
check(
    "\(today.replicas.count) clients know all orders as they are",
    !orders.isEmpty && today.replicas.allSatisfy { $0.orders == orders })
let wrong = (today.replicas + today.hungUp).flatMap(\.wrong)
check("each order came in its order, and nothing twice", wrong.isEmpty, "\(wrong.prefix(9))")
let events = today.replicas.map(\.events)
check(
    "\(today.hungUp.count) clients hung up in the middle",
    today.hungUp.allSatisfy { $0.events < events.min()! })
let waiting = orders.values.count { !$0.isReady }
let told = try metrics.expectGauge("orders_waiting").lastValue
check("the metrics know how many wait", told == Double(waiting), "\(told ?? -1), not \(waiting)")
let rest = await left(of: today.traces, observations: before)
check("no object is left, and no observation", rest == (0, 0), "\(rest)")

let figures = """
    \(today.changes) changes, \(today.orders.count) orders at the end, \
    \(events.min()!) to \(events.max()!) events a client\n
    """
FileHandle.standardError.write(Data(figures.utf8))
exit(hasFailed ? 1 : 0)
