// SPDX-License-Identifier: Apache-2.0

@main
struct AsyncMain {
    static func main() async {
        await withCheckedContinuation { continuation in
            let work = Work { continuation.resume() }
            work.begin()
        }
    }
}
