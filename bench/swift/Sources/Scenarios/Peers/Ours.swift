// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import ObservableSwift

final class User: ObservableModel {
    @Observed var age = 0
    @Observed var size = 0
    @Observed var weight = 0
    @Observed var height = 0

    static var setter: Setter {
        { context, value in context.with(User.self) { $0.age = value } }
    }
}

/// Its age is set in one place of the program, and the compiler lays the setter out there, as it
/// does with a plain property's. `User`, which is set in many, has it as a function.
final class LoneUser: ObservableModel {
    @Observed var age = 0
    @Observed var size = 0
    @Observed var weight = 0
    @Observed var height = 0

    static var setter: Setter { bench_set_lone_user }
}

/// In a closure the compiler would not lay it out. Called from C by its symbol: an object and an
/// int are handed over in Swift as in C.
@_silgen_name("bench_set_lone_user")
@inline(never)
func set(_ user: LoneUser, _ value: Int) {
    user.age = value
}

public final class PublicUser: ObservableModel {
    @Observed public var age = 0
    @Observed public var size = 0
    @Observed public var weight = 0
    @Observed public var height = 0

    static var setter: Setter {
        { context, value in context.with(PublicUser.self) { $0.age = value } }
    }
}

open class OpenUser: ObservableModel {
    @Observed public final var age = 0
    @Observed public final var size = 0
    @Observed public final var weight = 0
    @Observed public final var height = 0

    static var setter: Setter {
        { context, value in context.with(OpenUser.self) { $0.age = value } }
    }
}

/// An observer that is a model, as a view model is one.
final class ModelWatcher: ObservableModel {
    let tally = Tally()
}

/// An observer of any other class.
final class PlainWatcher {
    let tally = Tally()
}

/// Who observes.
enum Observer: String, CaseIterable {
    case model, object, token
}

/// A user with somebody who observes its age.
final class ObservedUser {
    let user = User()
    let tally: Tally
    let loop: DeliveryLoop
    private let watcher: AnyObject?
    private var kept: [ObservationToken] = []

    init(_ observer: Observer, options: ObservationOptions = [], observers: Int = 1) {
        loop = DeliveryLoop()
        switch observer {
        case .model:
            let watcher = ModelWatcher()
            tally = watcher.tally
            self.watcher = watcher
            for _ in 0..<observers {
                user.tell(watcher, when: \.age, on: loop, options: options) { watcher, user in
                    watcher.tally.add(user.age)
                }
            }
        case .object:
            let watcher = PlainWatcher()
            tally = watcher.tally
            self.watcher = watcher
            for _ in 0..<observers {
                user.tell(watcher, when: \.age, on: loop, options: options) { watcher, user in
                    watcher.tally.add(user.age)
                }
            }
        case .token:
            let tally = Tally()
            self.tally = tally
            watcher = nil
            for _ in 0..<observers {
                kept.append(
                    user.onChange(of: \.age, on: loop, options: options) { tally.add($0.age) })
            }
        }
    }

    /// One set, and its delivery.
    static var setAndDrain: Setter {
        { context, value in
            context.with(ObservedUser.self) { observed in
                observed.user.age = value
                observed.loop.drain()
            }
        }
    }
}
