// SPDX-License-Identifier: Apache-2.0

/// The notices that stand, each a line.
final class NoticesView: ScreenView, NoticeDisplay {
    private var texts: [NoticeSubject: String] = [:]
    /// Called when there are more or fewer lines: others have to make room.
    var onCount: (() -> Void)?

    var count: Int { texts.count }

    func say(_ text: String, about subject: NoticeSubject) {
        change(subject, to: text)
    }

    func end(_ text: String, about subject: NoticeSubject) {
        change(subject, to: nil)
    }

    private func change(_ subject: NoticeSubject, to text: String?) {
        let before = count
        texts[subject] = text
        if count != before {
            onCount?()
        } else {
            draw()
        }
    }

    override func draw() {
        let subjects = NoticeSubject.allCases.filter { texts[$0] != nil }
        for (row, subject) in zip(rows, subjects) {
            var line = screen.line
            let colour: Style.Colour = subject == .alarm ? .red : .yellow
            line.put(texts[subject]!, in: columns, .left, .colour(colour, bold: subject == .alarm))
            screen.draw(line, at: row)
        }
    }
}
