// SPDX-License-Identifier: Apache-2.0
//
// OpenCombine: a class with published properties, and a subject that holds one value.

#if OPENCOMBINE
    import OpenCombine

    final class PublishedUser: ObservableObject {
        @Published var age = 0
        @Published var size = 0
        @Published var weight = 0
        @Published var height = 0

        static var setter: Setter {
            { context, value in context.with(PublishedUser.self) { $0.age = value } }
        }
    }

    final class SubjectUser {
        let age = CurrentValueSubject<Int, Never>(0)
        let size = CurrentValueSubject<Int, Never>(0)

        static var setter: Setter {
            { context, value in context.with(SubjectUser.self) { $0.age.value = value } }
        }
    }

    /// A user whose age has so many sinks.
    final class PublishedWatcher {
        let user = PublishedUser()
        let tally = Tally()
        private var sinks: [AnyCancellable] = []

        init(observers: Int = 1) {
            for _ in 0..<observers {
                sinks.append(user.$age.dropFirst().sink { [tally] in tally.add($0) })
            }
        }
    }

    final class SubjectWatcher {
        let user = SubjectUser()
        let tally = Tally()
        private var sinks: [AnyCancellable] = []

        init(observers: Int = 1) {
            for _ in 0..<observers {
                sinks.append(user.age.dropFirst().sink { [tally] in tally.add($0) })
            }
        }
    }

    /// A sink that notes that there is something to deliver: OpenCombine coalesces nothing by
    /// itself.
    final class PublishedFlag {
        let user = PublishedUser()
        let tally = Tally()
        private var isDue = false
        private var sink: AnyCancellable?

        init() {
            sink = user.$age.dropFirst().sink { [unowned self] _ in isDue = true }
        }

        func deliver() {
            guard isDue else { return }
            isDue = false
            tally.add(user.age)
        }
    }

    /// A sink behind `receive(on:)`.
    final class PublishedOnQueue {
        private let user = PublishedUser()
        let tally = Tally()
        private let queue = ManualQueue()
        private var sink: AnyCancellable?

        init() {
            sink = user.$age.dropFirst().receive(on: QueueScheduler(queue: queue))
                .sink { [tally] in tally.add($0) }
        }

        static var setAndDrain: Setter {
            { context, value in
                context.with(PublishedOnQueue.self) { watcher in
                    watcher.user.age = value
                    watcher.queue.drain()
                }
            }
        }
    }

    /// A manual queue as OpenCombine's `receive(on:)` takes it.
    struct QueueScheduler: Scheduler {
        typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
        typealias SchedulerOptions = Never

        let queue: ManualQueue

        var now: SchedulerTimeType { ImmediateScheduler.shared.now }
        var minimumTolerance: SchedulerTimeType.Stride {
            ImmediateScheduler.shared.minimumTolerance
        }

        func schedule(options: Never?, _ action: @escaping () -> Void) {
            queue.append(action)
        }

        func schedule(
            after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
            _ action: @escaping () -> Void
        ) {
            schedule(options: options, action)
        }

        func schedule(
            after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
            tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
        ) -> any Cancellable {
            schedule(options: options, action)
            return AnyCancellable {}
        }
    }
#endif
