// SPDX-License-Identifier: Apache-2.0

import Foundation

var isFinished = false
let work = Work { isFinished = true }
work.begin()
while !isFinished && RunLoop.main.run(mode: .default, before: .distantFuture) {}
