// SPDX-License-Identifier: Apache-2.0

import Foundation

let work = Work { exit(0) }
work.begin()
RunLoop.main.run()
