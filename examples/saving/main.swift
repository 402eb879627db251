// SPDX-License-Identifier: Apache-2.0
//
// A plan is saved whenever anything below it has changed, and loaded. Its jobs wait for each other, also in rings.

import Foundation
import ObservableGraph
import ObservableSwift

// 1. What is computed or derived is in no file: it follows what was loaded.

final class Job: ObservableModel {
    @Observed var title: String
    @Observed var isDone: Bool
    let blockers = ObservableArray<Job>()
    var isBlocked: Bool { computed { blockers.contains { !$0.isDone } } }

    init(_ title: String, isDone: Bool = false) {
        (self.title, self.isDone) = (title, isDone)
    }
}

final class Plan: ObservableModel {
    @Observed var name: String
    let jobs = ObservableArray<Job>()
    private(set) lazy var ready = jobs.refreshing(when: \.isDone, \.isBlocked).filtering {
        !$0.isDone && !$0.isBlocked
    }

    init(_ name: String) { self.name = name }
}

// 2. `Codable` follows references: a ring would have no end, and a job that two others wait for would be
//    loaded as two. So a file has each job once, and a reference is its number there.

struct SavedPlan: Codable {
    struct Job: Codable {
        let title: String
        let isDone: Bool
        let blockers: [Int]
    }
    let name: String
    let jobs: [Job]
}

enum SavingError: Error {
    case blockerOfNoPlan(title: String)
    case noJob(number: Int)
}

extension SavedPlan {
    init(_ plan: Plan) throws {
        let numbers = Dictionary(
            uniqueKeysWithValues: zip(plan.jobs.map(ObjectIdentifier.init), 0...))
        name = plan.name
        jobs = try plan.jobs.map { job in
            let blockers = try job.blockers.map { blocker in
                guard let number = numbers[ObjectIdentifier(blocker)] else {
                    throw SavingError.blockerOfNoPlan(title: blocker.title)
                }
                return number
            }
            return Job(title: job.title, isDone: job.isDone, blockers: blockers)
        }
    }

    /// First the objects, then what leads from one to the other.
    func load() throws -> Plan {
        let plan = Plan(name)
        plan.jobs.append(contentsOf: jobs.map { .init($0.title, isDone: $0.isDone) })
        for (job, saved) in zip(plan.jobs, jobs) {
            for number in saved.blockers {
                guard jobs.indices.contains(number) else { throw SavingError.noJob(number: number) }
                job.blockers.append(plan.jobs[number])
            }
        }
        return plan
    }
}

let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID()).json")
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]

// 3. One observation for all of it. The newest state counts: many changes of a turn are one file. A program
//    with a window waits until nothing has changed for a while: `.everything().debounce(for: .seconds(2))`.

@MainActor func saving(_ plan: Plan) -> ObservationToken {
    plan.everything().onChange { plan in
        do {
            let data = try encoder.encode(SavedPlan(plan))
            try data.write(to: file, options: .atomic)
            print("saved", String(decoding: data, as: UTF8.self))
        } catch {
            print("not saved:", error)
        }
    }
}

let plan = Plan("move house")
var token = saving(plan)
let (pack, van, lift) = (Job("pack"), Job("a van"), Job("the lift"))
plan.jobs.append(contentsOf: [pack, van, lift])
pack.blockers.append(van)
van.blockers.append(pack)  // a ring
lift.isDone = true
DeliveryLoop.main.drain()

let loaded = try JSONDecoder().decode(SavedPlan.self, from: Data(contentsOf: file)).load()
print("loaded", loaded.name, loaded.jobs.map(\.title), "ready", loaded.ready.map(\.title))
print("the ring is one:", loaded.jobs[0].blockers[0].blockers[0] === loaded.jobs[0])

// 4. What was loaded is a plan like the one before: it is observed and saved as that was.

token = saving(loaded)
loaded.jobs[1].isDone = true
DeliveryLoop.main.drain()
print("ready", loaded.ready.map(\.title))
loaded.jobs[0].blockers.append(Job("a key"))  // which nobody has planned
DeliveryLoop.main.drain()
try FileManager.default.removeItem(at: file)
