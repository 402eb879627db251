// SPDX-License-Identifier: Apache-2.0

import Readings

/// A recorded machine; each reading is the next recorded moment. Behind the end it begins again,
/// half a second later: time only goes forward. The whole file is read and checked at once.
actor RecordingSource: ReadingSource {
    nonisolated let title: String
    private let readings: [Reading]
    private var next = 0
    /// What the passes before this one took.
    private var passed = 0

    /// - Parameter reason: why it is not this machine; ends the title.
    init(file: String, because reason: String) throws(ServiceError) {
        title = "the recording \(file), \(reason)"
        let text: [UInt8]
        do {
            text = try readBytes(of: file, limit: 1 << 28)
        } catch {
            throw .unreadable(file: file, reason: "\(error)")
        }
        readings = try RecordingText.readings(text, file: file, source: title)
    }

    func read() -> Reading {
        var reading = readings[next]
        reading.time += passed
        next += 1
        if next == readings.count {
            next = 0
            passed = reading.time + 500
        }
        return reading
    }
}
