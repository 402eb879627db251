// SPDX-License-Identifier: Apache-2.0

#if Inspector
    import FlyingSocks
    import Foundation
    import ObservableSwift

    /// The events of a page, sent by the server: a message whenever something has happened, four
    /// a second at most, and one every two seconds, by which a browser that has gone is found.
    struct EventStream: AsyncBufferedSequence {
        typealias Element = UInt8

        private struct Message: Encodable {
            let time: Double
            let roots: [String]
            let kinds: [String: Int]
            let observations: Int
            let dropped: Int
            let missed: Int
            let events: [TraceEvent]
        }

        static let pause = Duration.milliseconds(250)
        static let pausesOfSilence = 8

        let log: EventLog
        let roots: InspectedRoots
        /// Given back with the last copy.
        let seat: Seats.Seat

        func makeAsyncIterator() -> Iterator { Iterator(of: self) }

        struct Iterator: AsyncBufferedIteratorProtocol {
            private let stream: EventStream
            private var place: Int?
            private var rest: ArraySlice<UInt8> = []

            init(of stream: EventStream) {
                self.stream = stream
            }

            mutating func next() async throws -> UInt8? {
                try await nextBuffer(suggested: 1)?.first
            }

            /// Called when the browser has taken what came before.
            mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
                if rest.isEmpty { rest = try await message()[...] }
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }

            /// The first comes at once.
            private mutating func message() async throws -> [UInt8] {
                let isFirst = place == nil
                var pauses = 0
                var part: EventLog.Part
                repeat {
                    if !isFirst { try await Task.sleep(for: EventStream.pause) }
                    pauses += 1
                    part = stream.log.read(from: &place)
                } while !isFirst && part.events.isEmpty && pauses < EventStream.pausesOfSilence
                let counters = ObservationCounters.current
                let message = Message(
                    time: stream.log.time, roots: stream.roots.names, kinds: part.kinds,
                    observations: counters.observations, dropped: counters.dropped,
                    missed: part.missed, events: part.events)
                return try Array("data: ".utf8) + JSONEncoder().encode(message) + Array("\n\n".utf8)
            }
        }
    }

    /// How many streams there may be at once.
    final class Seats: Sendable {
        private let free: Locked<Int>

        init(_ count: Int) {
            free = Locked(count)
        }

        final class Seat: Sendable {
            private let seats: Seats

            fileprivate init(of seats: Seats) {
                self.seats = seats
            }

            deinit {
                seats.free.withLock { $0 += 1 }
            }
        }

        /// Nil: all are taken.
        func take() -> Seat? {
            let isFree = free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            return isFree ? Seat(of: self) : nil
        }
    }
#endif
