// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderServer

/// What one client knows of the orders, and what was wrong with how it has come.
struct Replica {
    private(set) var orders: [Int: OrderState] = [:]
    private(set) var events = 0
    private(set) var wrong: [String] = []
    private var handedOver: Set<Int> = []

    mutating func take(_ data: Data) throws {
        let event = try JSONDecoder().decode(BoardEvent.self, from: data)
        events += 1
        for state in event.present {
            if handedOver.contains(state.number) { wrong.append("\(state) comes after its end") }
            if let before = orders[state.number],
                state.items < before.items || before.isReady && !state.isReady || state == before
            {
                wrong.append("\(state) comes after \(before)")
            }
            orders[state.number] = state
        }
        for number in event.gone {
            if orders.removeValue(forKey: number) == nil {
                wrong.append("\(number) was never there")
            }
            handedOver.insert(number)
        }
    }
}

/// Follows the orders until the server ends it.
///
/// - Parameters:
///   - isReady: is called when the first event was received.
///   - limit: hangs up behind so many events.
func watch(
    _ port: Int, limit: Int = .max, isReady: () -> Void = {}
) async throws -> Replica {
    try await withConnection(to: port) { connection in
        var replica = Replica()
        try await connection.send(.get, "/events")
        while replica.events < limit, let event = try await connection.nextEvent() {
            try replica.take(event)
            if replica.events == 1 { isReady() }
        }
        return replica
    }
}

/// Places orders, adds to them, finishes them and hands all over but one in three, until there are enough.
///
/// - Parameter goesOn: is asked with the number of changes before each.
/// - Returns: the number of changes.
func change(_ port: Int, while goesOn: (Int) -> Bool) async throws -> Int {
    try await withConnection(to: port) { connection in
        var changes = 0
        var placed = 0
        func order(_ answer: (Int, Data)) throws -> OrderState {
            guard answer.0 == 200 else { throw Refused(status: answer.0) }
            changes += 1
            return try JSONDecoder().decode(OrderState.self, from: answer.1)
        }
        while goesOn(changes) {
            let path = try await
                "/orders/\(order(connection.ask(.post, "/orders", #"{"items": 1}"#)).number)"
            placed += 1
            for items in 2...5 where goesOn(changes) {
                _ = try await order(connection.ask(.put, path, #"{"items": \#(items)}"#))
            }
            if goesOn(changes) {
                _ = try await order(connection.ask(.put, path, #"{"isReady": true}"#))
            }
            if goesOn(changes), placed % 3 != 0 {
                _ = try await order(connection.ask(.delete, path))
            }
        }
        return changes
    }
}

struct Refused: Error {
    let status: Int
}
