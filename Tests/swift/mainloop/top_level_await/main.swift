// SPDX-License-Identifier: Apache-2.0

await withCheckedContinuation { continuation in
    let work = Work { continuation.resume() }
    work.begin()
}
