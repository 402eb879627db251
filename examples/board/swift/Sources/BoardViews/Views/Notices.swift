// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What a notice is about. They are shown in this order.
enum NoticeSubject: Int, CaseIterable {
    case alarm, service, missing, unreadable, vanished
}

/// Where notices are shown.
@MainActor protocol NoticeDisplay: AnyObject {
    /// There is a cause, or another one: `text` stands from now on.
    func say(_ text: String, about subject: NoticeSubject)
    /// The cause is gone; `text` says so where lines cannot be taken back.
    func end(_ text: String, about subject: NoticeSubject)
}

/// One line for each thing that is not as it should be; it goes with its cause.
@MainActor final class Notices {
    private weak var display: (any NoticeDisplay)?

    init(of machine: Machine, on display: any NoticeDisplay) {
        self.display = display
        machine.tell(self, when: \.service.obstacle, \.service.isStopped, \.service.trouble) {
            $0.tellService($1.service)
        }
        machine.tell(self, when: \.missing) { notices, machine in
            let missing = ReadingPart.allCases.filter(machine.missing.contains)
            notices.tell(
                .missing, missing.isEmpty ? nil : "cannot be read: \(words(missing)); \(stand)",
                over: "everything can be read")
        }
        machine.tell(self, when: \.unreadable) { notices, machine in
            notices.tell(
                .unreadable,
                machine.unreadable > 0
                    ? "there are processes whose files cannot be read" : nil,
                over: "every process can be read")
        }
        machine.tell(self, when: \.vanished) { notices, machine in
            notices.tell(
                .vanished, machine.vanished > 0 ? "processes end while they are read" : nil,
                over: "no process ends while it is read")
        }
    }

    private func tellService(_ service: ServiceState) {
        let text =
            if service.isStopped {
                "the service is stopped; \(stand)"
            } else if let obstacle = service.obstacle {
                "the service cannot be started: \(obstacle); tried again each second"
            } else if let trouble = service.trouble {
                "\(trouble.text); \(stand)"
            } else {
                String?.none
            }
        tell(.service, text, over: "the service answers")
    }

    private func tell(_ subject: NoticeSubject, _ text: String?, over: String) {
        if let text {
            display?.say("note: \(text)", about: subject)
        } else {
            display?.end("note over: \(over)", about: subject)
        }
    }
}

private let stand = "the last values stand"

private func words(_ parts: [ReadingPart]) -> String {
    parts.map(\.rawValue).joined(separator: " ")
}
