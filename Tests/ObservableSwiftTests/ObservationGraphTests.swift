// SPDX-License-Identifier: Apache-2.0
//
// The observation graph as text, DOT and JSON (DB-5).

import Foundation
import ObservableSwift
import Testing

private final class Item: ObservableModel {
    @Observed var price = 1
}

private final class Cart: ObservableModel {
    @Observed var item: Item?
    @Observed var items: ObservableArray<Item> = []
    @Computed({ (cart: Cart) in (cart.item?.price ?? 0) * 2 }) var total: Int
}

private struct Written: Decodable {
    struct Object: Decodable {
        var id: Int
        var `class`: String
    }
    struct Property: Decodable {
        var id: Int
        var object: Int
        var name: String
        var computed: Bool
    }
    struct Observation: Decodable {
        var object: Int
        var property: Int?
        var label: String?
        var path: String?
        var file: String?
        var line: Int
        var leadsOn: Bool
    }
    struct Edge: Decodable {
        var kind: String
        var property: Int
        var object: Int?
        var computed: Int?
    }
    var objects: [Object]
    var properties: [Property]
    var observations: [Observation]
    var edges: [Edge]
    var cut: Bool

    init(_ graph: ObservationGraph) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(graph.json.utf8))
    }

    func name(_ property: Int) -> String {
        "\(objects[properties[property].object].class).\(properties[property].name)"
    }

    var computed: Set<String> {
        Set(
            edges.compactMap { edge in edge.computed.map { "\(name(edge.property)) > \(name($0))" }
            })
    }

    var leads: Set<String> {
        Set(
            edges.compactMap { edge in
                edge.object.map { "\(name(edge.property)) > \(objects[$0].class)" }
            })
    }
}

@Suite struct ObservationGraphTests {
    let loop = DeliveryLoop()

    @Test func DB_5_paths_and_observations_are_in_the_graph() throws {
        let cart = Cart()
        let item = Item()
        cart.item = item
        let hostile: StaticString = "a\"b\\\n</script>\u{202e}"
        let line = #line + 1
        let token = cart.changes(of: \.item?.price).on(loop).named(hostile).onChange { _ in }
        let graph = try Written(ObservationGraph(of: [cart]))
        #expect(graph.objects.map(\.class) == ["Cart", "Item"])
        #expect(graph.leads == ["Cart.item > Item"])
        #expect(graph.observations.map(\.leadsOn) == [true, false])
        #expect(graph.observations.allSatisfy { $0.label == "\(hostile)" })
        #expect(graph.observations.allSatisfy { $0.path == "item.price" && $0.line == line })
        #expect(!graph.cut)
        withExtendedLifetime(token) {}
    }

    @Test func DB_5_who_depends_through_computed_properties_is_in_the_graph() throws {
        let cart = Cart()
        let item = Item()
        cart.item = item
        #expect(cart.total == 2)
        let wanted: Set = ["Cart.item > Cart.total", "Item.price > Cart.total"]
        // From either end.
        #expect(try Written(ObservationGraph(of: [cart])).computed == wanted)
        #expect(try Written(ObservationGraph(of: [item])).computed == wanted)
        let graph = try Written(ObservationGraph(of: [item]))
        #expect(graph.properties.filter(\.computed).map(\.name) == ["total"])
    }

    @Test func DB_5_each_element_of_a_collection_is_reached() throws {
        let cart = Cart()
        cart.items.append(contentsOf: (0..<50).map { _ in Item() })
        let token = cart.onChange(of: \.items.each.price, on: loop) { _ in }
        let whole = try Written(ObservationGraph(of: [cart]))
        #expect(whole.objects.filter { $0.class == "Item" }.count == 50)
        #expect(!whole.cut)
        let cut = try Written(ObservationGraph(of: [cart], limit: 10))
        #expect(cut.objects.count == 10)
        #expect(cut.cut)
        let texts = ObservationGraph(of: [cart], limit: 10)
        #expect(texts.description.hasSuffix("(cut: there is more)\n"))
        #expect(texts.dot.contains("cut: there is more"))
        withExtendedLifetime(token) {}
    }

    @Test func DB_5_the_text_has_a_line_for_each_property() {
        let cart = Cart()
        let item = Item()
        cart.item = item
        let token = cart.changes(of: \.item?.price).on(loop).named("price").onChange { _ in }
        let lines = "\(ObservationGraph(of: [cart]))".split(separator: "\n")
        #expect(lines.first?.hasPrefix("Cart 0x") == true)
        #expect(lines.dropFirst().first == "  item")
        #expect(lines.contains { $0.hasPrefix("    leads on for price, item.price, ") })
        #expect(lines.contains { $0.hasPrefix("    leads to Item 0x") })
        #expect(lines.contains { $0.hasPrefix("    observed: price, item.price, ") })
        withExtendedLifetime(token) {}
    }

    @Test func DB_5_an_object_that_nobody_observes_is_alone() throws {
        let graph = try Written(ObservationGraph(of: [Cart()]))
        #expect(graph.objects.map(\.class) == ["Cart"])
        #expect(graph.properties.isEmpty && graph.edges.isEmpty && graph.observations.isEmpty)
        #expect(try Written(ObservationGraph(of: [])).objects.isEmpty)
    }
}
