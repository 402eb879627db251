// SPDX-License-Identifier: Apache-2.0

#if OPENCOMBINE
    import OpenCombine

    private final class PublishedUser: ObservableObject {
        @Published var age = 0
        @Published var size = 0
        @Published var weight = 0
        @Published var height = 0
    }

    private final class SubjectUser {
        let age = CurrentValueSubject<Int, Never>(0)
        let size = CurrentValueSubject<Int, Never>(0)
        let weight = CurrentValueSubject<Int, Never>(0)
        let height = CurrentValueSubject<Int, Never>(0)
    }

    func combine() -> [Line] {
        published() + subject()
    }

    private func published() -> [Line] {
        var users: [PublishedUser] = []
        var sinks: [AnyCancellable] = []
        let watcher = PlainWatcher()
        let lines = bytesOfEach(
            make: { users.append(PublishedUser()) },
            reserve: {
                users.reserveCapacity($0)
                sinks.reserveCapacity(2 * $0)
            },
            observe: { sinks.append(users[$0].$age.sink { _ in watcher.calls += 1 }) })
        for user in users { user.age += 1 }
        precondition(watcher.calls == 4 * users.count, "not all were called")
        return named("OpenCombine @Published", lines)
    }

    private func subject() -> [Line] {
        var users: [SubjectUser] = []
        var sinks: [AnyCancellable] = []
        let watcher = PlainWatcher()
        let lines = bytesOfEach(
            make: { users.append(SubjectUser()) },
            reserve: {
                users.reserveCapacity($0)
                sinks.reserveCapacity(2 * $0)
            },
            observe: { sinks.append(users[$0].age.sink { _ in watcher.calls += 1 }) })
        for user in users { user.age.value += 1 }
        precondition(watcher.calls == 4 * users.count, "not all were called")
        return named("OpenCombine subject", lines)
    }
#endif
