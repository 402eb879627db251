// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// An observer whose counts nobody else writes beside.
private final class LoneWatcher: ObservableModel {
    private let front = Gap()
    let tally = LoneTally()
    private let back = Gap()
}

private final class ApartUser: ObservableModel {
    private let front = Gap()
    @Observed var left = 0
    private let middle = Gap()
    @Observed var right = 0
    private let back = Gap()

    static var setLeft: Setter {
        { context, value in context.with(ApartUser.self) { $0.left = value } }
    }
    static var setRight: Setter {
        { context, value in context.with(ApartUser.self) { $0.right = value } }
    }

    func watchLeft() -> LoneWatcher {
        let watcher = LoneWatcher()
        tell(watcher, when: \.left, options: .immediate) { $0.tally.add($1.left) }
        return watcher
    }

    func watchRight() -> LoneWatcher {
        let watcher = LoneWatcher()
        tell(watcher, when: \.right, options: .immediate) { $0.tally.add($1.right) }
        return watcher
    }
}

/// Its properties lie side by side.
private final class TogetherUser: ObservableModel {
    @Observed var left = 0
    @Observed var right = 0

    static var setLeft: Setter {
        { context, value in context.with(TogetherUser.self) { $0.left = value } }
    }
    static var setRight: Setter {
        { context, value in context.with(TogetherUser.self) { $0.right = value } }
    }

    /// One whose properties are on one cache line.
    static func onOneLine() -> TogetherUser {
        var others: [TogetherUser] = []
        while true {
            let user = TogetherUser()
            let address = UInt(bitPattern: Unmanaged.passUnretained(user).toOpaque())
            // Behind the object's two words and the header.
            if (address + 24) / 64 == (address + 32) / 64 { return user }
            others.append(user)
        }
    }
}

struct TwoObjects: Pair {
    let left, right: Side
    private let watchers: [AnyObject]

    init() {
        let (one, other) = (ApartUser(), ApartUser())
        let (left, right) = (one.watchLeft(), other.watchLeft())
        self.left = Side(setter: ApartUser.setLeft, object: one, tally: left.tally)
        self.right = Side(setter: ApartUser.setLeft, object: other, tally: right.tally)
        watchers = [left, right]
    }
}

struct ApartObject: Pair {
    let left, right: Side
    private let watchers: [AnyObject]

    init() {
        let user = ApartUser()
        let (left, right) = (user.watchLeft(), user.watchRight())
        self.left = Side(setter: ApartUser.setLeft, object: user, tally: left.tally)
        self.right = Side(setter: ApartUser.setRight, object: user, tally: right.tally)
        watchers = [left, right]
    }
}

struct TogetherObject: Pair {
    let left, right: Side
    private let watchers: [AnyObject]

    init() {
        let user = TogetherUser.onOneLine()
        let (left, right) = (LoneWatcher(), LoneWatcher())
        user.tell(left, when: \.left, options: .immediate) { $0.tally.add($1.left) }
        user.tell(right, when: \.right, options: .immediate) { $0.tally.add($1.right) }
        self.left = Side(setter: TogetherUser.setLeft, object: user, tally: left.tally)
        self.right = Side(setter: TogetherUser.setRight, object: user, tally: right.tally)
        watchers = [left, right]
    }
}
