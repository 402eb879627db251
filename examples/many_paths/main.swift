// SPDX-License-Identifier: Apache-2.0
//
// A line of an invoice is made of three values. One block for all of them is called once, however
// many of them have changed.

import ObservableSwift

// 1. Several properties.
final class Invoice: ObservableModel {
    @Observed var customer = ""
    @Observed var quantity = 0
    @Observed var price = 0
}

final class Printer {
    func printLine(of invoice: Invoice) {
        let total = invoice.quantity * invoice.price
        print("  \(invoice.customer): \(invoice.quantity) books, \(total) euros")
    }
}

func deliver(_ whatHasHappened: String) {
    print(whatHasHappened)
    DeliveryLoop.main.drain()
}

let invoice = Invoice()
let printer = Printer()

// 2. One observation with three paths. Their values may be of different types.
invoice.tell(printer, when: \.customer, \.quantity, \.price) { printer, invoice in
    printer.printLine(of: invoice)
}

// 3. Three changes, one call.
invoice.customer = "Ada"
invoice.quantity = 3
invoice.price = 20
deliver("an invoice is filled in")

// 4. A change of one of them, one call as well.
invoice.quantity = 4
deliver("one more book")
