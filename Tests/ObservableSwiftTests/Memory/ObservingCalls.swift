// SPDX-License-Identifier: Apache-2.0

@testable import ObservableSwift

/// Something of a program that begins to observe, in one of the forms.
struct ObservingCall {
    let name: String
    /// Answers what was refused.
    let make: (Stage) -> ObservationError?

    /// With an observer.
    static func tell(
        _ name: String, _ make: @escaping (Stage) -> ObservationHandle
    ) -> ObservingCall {
        ObservingCall(name: name) { stage in
            let handle = make(stage)
            stage.handles.append(handle)
            return handle.failure
        }
    }

    /// With a token.
    static func onChange(
        _ name: String, _ make: @escaping (Stage) -> ObservationToken
    ) -> ObservingCall {
        ObservingCall(name: name) { stage in
            let token = make(stage)
            stage.tokens.append(token)
            return token.failure
        }
    }

    /// Each is called when the number of the leaf changes, or that of any waypoint.
    static var all: [ObservingCall] { ofObjects + ofMore + ofClasses }

    /// Those that lead from the root to the number of its next's next.
    static var ofPaths: [ObservingCall] { ofObjects }

    private static var ofObjects: [ObservingCall] {
        [
            .tell("when, text") { stage in
                stage.root.tell(stage.plain, when: \.[text: "next.next.number"], on: stage.loop) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("when, any element of several") { stage in
                stage.root.tell(
                    stage.plain, when: \.[text: "next.next.number"], \.[text: "name"],
                    \.[text: "*.other.*"], on: stage.loop
                ) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("when, typed, an observer that is told of deaths") { stage in
                stage.root.tell(stage.mourner, when: \.next?.next?.number, on: stage.loop) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("when, several typed, an observer that is a model") { stage in
                stage.root.tell(
                    stage.seer, when: \.next?.next?.number, \.next?.next?.name?.count,
                    on: stage.loop
                ) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("whenAny, a wildcard in the middle") { stage in
                stage.root.tell(
                    stage.plain,
                    when: (\.next?.allProperties as TypedPath<Waypoint>).appending(
                        \.number as TypedPath<Waypoint>), on: stage.loop
                ) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("immediate, compared by itself") { stage in
                stage.root.tell(
                    stage.plain, when: \.next?.next?.number, on: stage.loop, options: .immediate,
                    comparing: .by { (a: Int, b: Int) in a == b }
                ) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("valueOf") { stage in
                stage.root.changes(of: \.next?.next?.number).map { $0.new }.on(stage.loop).tell(
                    stage.plain
                ) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("ofText, net") { stage in
                stage.root.changes(of: \.[text: "next.next.number"]).on(stage.loop).options(
                    .skipsReverted
                )
                .tell(stage.plain) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("recordOf") { stage in
                stage.root.record(of: \.[text: "next.next.*"], \.[text: "*.name"]).on(stage.loop)
                    .options(.allowsMorePaths).tell(stage.plain) {
                        [token = stage.token, unowned stage] _, _ in
                        stage.called(token)
                    }
            },
            .onChange("onChange(when:)") { stage in
                stage.root.onChange(of: \.next?.next?.number, \.name, on: stage.loop) {
                    [token = stage.token, unowned stage] _ in
                    stage.called(token)
                }
            },
            .onChange("onChange(of:)") { stage in
                stage.root.changes(of: \.[text: "next.next.number"]).on(stage.loop).onChange {
                    [token = stage.token, unowned stage] _ in
                    stage.called(token)
                }
            },
            .onChange("onChange(valuesOf:)") { stage in
                stage.root.changes(of: \.next?.next?.number).on(stage.loop).onChange {
                    [token = stage.token, unowned stage] _ in
                    stage.called(token)
                }
            },
            .tell("call(_:of:), typed, told the path") { stage in
                stage.root.changes(of: \.next?.next?.number).on(stage.loop)
                    .call(Caller.called, of: stage.caller)
            },
            .onChange("onChange(recordOf:)") { stage in
                stage.root.record(of: \.[text: "next.next.number"], limit: 2).on(stage.loop)
                    .onChange {
                        [token = stage.token, unowned stage] _ in
                        stage.called(token)
                    }
            },
        ]
    }

    private static var ofMore: [ObservingCall] {
        [
            .tell("a shared block") { stage in
                let block = ObservationBlock(on: stage.loop) {
                    [token = stage.token, unowned stage] (_: Onlooker, _: Waypoint) in
                    stage.called(token)
                }
                return stage.root.tell(
                    stage.plain, when: \.[text: "next.next.number"], block: block)
            },
            ObservingCall(name: "further paths") { stage in
                let handle = stage.root.tell(
                    stage.plain, when: \.[text: "name"], on: stage.loop, options: .allowsMorePaths
                ) { [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
                if let failure = handle.failure { return failure }
                do throws(ObservationError) {
                    try handle.also(
                        stage.middle, when: \.[text: "next.number"], \.[text: "other.name"])
                } catch {
                    handle.stop()
                    return error
                }
                stage.handles.append(handle)
                return nil
            },
            .tell("through a proxy") { stage in
                let proxy = ObservableProxy.of(stage.thing)
                stage.proxy = proxy
                return proxy.tell(stage.plain, when: \.waypoint?.number, on: stage.loop) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
        ]
    }

    private static var ofClasses: [ObservingCall] {
        [
            .tell("a class") { stage in
                Waypoint.allInstances.instances(when: \.[text: "number"]).on(stage.loop).tell(
                    stage.plain
                ) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .tell("changes of a class, typed") { stage in
                Waypoint.allInstances.changes(of: \.number).on(stage.loop).tell(stage.seer) {
                    [token = stage.token, unowned stage] _, _ in
                    stage.called(token)
                }
            },
            .onChange("records of a class with a token") { stage in
                Waypoint.allInstances.record(of: \.[text: "*"]).on(stage.loop).onChange {
                    [token = stage.token, unowned stage] _ in
                    stage.called(token)
                }
            },
        ]
    }
}
