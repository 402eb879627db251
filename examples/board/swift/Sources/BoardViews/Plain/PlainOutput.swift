// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lines on standard output, each with its time. They are written together, at the end of a drain.
@MainActor final class PlainOutput: NoticeDisplay {
    private let begin = ContinuousClock.now
    private let write: @MainActor (String) -> Void
    private let prefix: String
    private var buffer = ""
    private var subjects: [String: String] = [:]

    /// - Parameter prefix: what each line of the board's own begins with.
    init(prefix: String, write: @escaping @MainActor (String) -> Void) {
        self.prefix = prefix
        self.write = write
    }

    /// A line about something; what was said of it last is not said again.
    func say(_ subject: String, _ text: String) {
        if subjects.updateValue(text, forKey: subject) != text {
            print(text)
        }
    }

    func say(_ text: String, about subject: NoticeSubject) {
        say("\(subject)", text)
    }

    func end(_ text: String, about subject: NoticeSubject) {
        if subjects.removeValue(forKey: "\(subject)") != nil {
            print(text)
        }
    }

    /// A line as it is.
    func add(_ line: String) {
        buffer += line + "\n"
    }

    func flush() {
        guard !buffer.isEmpty else { return }
        write(buffer)
        buffer = ""
    }

    private func print(_ text: String) {
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        add(prefix + String(format: "%6.2f s  ", seconds) + text)
    }
}
