// SPDX-License-Identifier: Apache-2.0

package import ObservableSwift

/// An order as clients see it: a value, which goes anywhere.
public struct OrderState: Codable, Hashable, Sendable {
    public let number, items: Int
    public let isReady: Bool
}

/// What a client wants an order to be.
public struct Wish: Codable, Sendable {
    public let items: Int?
    public let isReady: Bool?
}

/// What has become of the orders since the event before.
public struct BoardEvent: Codable, Sendable {
    public let present: [OrderState]
    public let gone: [Int]
}

// 1. The models are plain objects, and not `Sendable`: they belong to the actor that has them.

package final class Order: ObservableModel {
    let number: Int
    @Observed var items: Int
    @Observed var isReady = false

    init(_ number: Int, items: Int) {
        (self.number, self.items) = (number, items)
    }

    var state: OrderState { OrderState(number: number, items: items, isReady: isReady) }
}

package final class Board: ObservableModel {
    package let orders = ObservableArray<Order>()
    // What leaves the actor is made of the orders where that is said once, and follows them.
    private(set) lazy var states = orders.refreshing(when: \.items, \.isReady).mapping { $0.state }
    var waiting: Int { computed { orders.count { !$0.isReady } } }
}

public actor Shop {
    /// Nil: the shop is closed. Sequences of the board and of what it holds end with it, behind what waits.
    package private(set) var board: Board? = Board()
    private var lastNumber = 0

    public init() {}

    // 2. Changes are what they are of any object. However many there are before the actor is free, each
    //    client has one event.

    public func place(_ wish: Wish) -> OrderState? {
        guard let board else { return nil }
        lastNumber += 1
        board.orders.append(Order(lastNumber, items: wish.items ?? 1))
        return change(lastNumber, wish)
    }

    /// - Returns: nil: there is no such order.
    public func change(_ number: Int, _ wish: Wish) -> OrderState? {
        guard let order = board?.orders.first(where: { $0.number == number }) else { return nil }
        if let items = wish.items { order.items = items }
        if let isReady = wish.isReady { order.isReady = isReady }
        return order.state
    }

    public func hand(over number: Int) -> OrderState? {
        guard let board, let place = board.orders.firstIndex(where: { $0.number == number })
        else { return nil }
        return board.orders.remove(at: place).state
    }

    public func states() -> [OrderState] { board.map { Array($0.states) } ?? [] }

    // 3. A client's sequence begins in the same method that reads what is there already: nothing can come
    //    between the two. Differences wait all, so a client that falls behind misses none.

    typealias Events = ObservationSequence<BoardEvent>

    func follow() -> sending (first: BoardEvent, rest: Events.Iterator)? {
        guard let board else { return nil }
        let events = board.states.differences().map { BoardEvent($0) }
        return (BoardEvent(present: states(), gone: []), events.makeAsyncIterator())
    }

    // 4. A number needs no history: the newest waits, so a slow consumer costs no queue.

    func waiting() -> ObservationSequence<Int?>? { board?.values(of: \.waiting) }

    public func close() { board = nil }
}

extension BoardEvent {
    init(_ difference: CollectionDifference<OrderState>) {
        var gone: Set<Int> = []
        var present: [OrderState] = []
        for case .remove(_, let state, _) in difference { gone.insert(state.number) }
        for case .insert(_, let state, _) in difference {
            gone.remove(state.number)
            present.append(state)
        }
        self.init(present: present, gone: gone.sorted())
    }
}
