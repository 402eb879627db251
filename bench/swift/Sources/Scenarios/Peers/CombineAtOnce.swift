// SPDX-License-Identifier: Apache-2.0
//
// OpenCombine: published properties, and subjects, which are objects of their own.

#if OPENCOMBINE
    import OpenCombine

    private final class PublishedApart: ObservableObject {
        private let front = Gap()
        @Published var left = 0
        private let middle = Gap()
        @Published var right = 0
        private let back = Gap()

        static var setLeft: Setter {
            { context, value in context.with(PublishedApart.self) { $0.left = value } }
        }
        static var setRight: Setter {
            { context, value in context.with(PublishedApart.self) { $0.right = value } }
        }
    }

    private final class PublishedTogether: ObservableObject {
        @Published var left = 0
        @Published var right = 0

        static var setLeft: Setter {
            { context, value in context.with(PublishedTogether.self) { $0.left = value } }
        }
        static var setRight: Setter {
            { context, value in context.with(PublishedTogether.self) { $0.right = value } }
        }
    }

    private final class LoneSubject {
        private let front = Gap()
        let value = CurrentValueSubject<Int, Never>(0)
        private let back = Gap()

        static var setter: Setter {
            { context, value in context.with(LoneSubject.self) { $0.value.value = value } }
        }
    }

    private struct CombinePair: Pair {
        let left, right: Side
        private let sinks: [AnyCancellable]

        init(
            _ one: AnyObject, _ left: some Publisher<Int, Never>, _ setLeft: @escaping Setter,
            _ other: AnyObject, _ right: some Publisher<Int, Never>, _ setRight: @escaping Setter
        ) {
            let tallies = [LoneTally(), LoneTally()]
            sinks = [
                left.dropFirst().sink { [tally = tallies[0]] in tally.add($0) },
                right.dropFirst().sink { [tally = tallies[1]] in tally.add($0) },
            ]
            self.left = Side(setter: setLeft, object: one, tally: tallies[0])
            self.right = Side(setter: setRight, object: other, tally: tallies[1])
        }
    }

    func combinePairs() -> [Variant] {
        [
            pair("P10a", "OpenCombine @Published") {
                let (one, other) = (PublishedApart(), PublishedApart())
                return CombinePair(
                    one, one.$left, PublishedApart.setLeft,
                    other, other.$left, PublishedApart.setLeft)
            },
            pair("P10b", "OpenCombine @Published") {
                let user = PublishedApart()
                return CombinePair(
                    user, user.$left, PublishedApart.setLeft,
                    user, user.$right, PublishedApart.setRight)
            },
            pair("P10c", "OpenCombine @Published") {
                let user = PublishedTogether()
                return CombinePair(
                    user, user.$left, PublishedTogether.setLeft,
                    user, user.$right, PublishedTogether.setRight)
            },
            pair("P10a", "OpenCombine subject") {
                let (one, other) = (LoneSubject(), LoneSubject())
                return CombinePair(
                    one, one.value, LoneSubject.setter, other, other.value, LoneSubject.setter)
            },
        ]
    }
#else
    func combinePairs() -> [Variant] { [] }
#endif
