// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

let work = Work { exit(0) }
work.begin()
dispatchMain()
