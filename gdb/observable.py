# SPDX-License-Identifier: Apache-2.0
"""Observation at the prompt of gdb, in a stopped process and in a core file.

    obv-observers OBJ               the observations at an object
    obv-path OBJ PATH               the values along a path that are known
    obv-why [OBSERVATION | OBJ]     why it is called, or not; alone: what runs and waits
    obv-graph OBJ                   how paths lead on, and what is computed from what
    obv-break OBJ PATH              stops when the end of a path changes
    print $obv_name(NAMES, ID)      an interned name

OBJ is an expression: an `obv_object *`, a struct that begins with one or a pointer to
it, or a Swift object. Objects, observations, classes and paths print as text.

All but obv-break read memory and do no more: they call no function of the program, wait
for no lock and compute no value, so they work wherever the program has stopped. A list
that was being changed there may be cut or torn: each walk is bounded, and says where it
ends. The layouts come from the library's debug information, which has to be there.
"""
import functools
import re
import struct

import gdb

MOST = 20000  # things that one command looks at
WORD = (1 << 64) - 1
NO_LAYOUTS = (
    "the library has no debug information here, and its layouts stand there: build it "
    "with -g (CMake: RelWithDebInfo), or load its symbols"
)
# Controls of a terminal, line ends, and what turns text round.
DANGEROUS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


class Stopped(Exception):
    """A walk goes no further here: why."""


# Output and memory -----------------------------------------------------------

looked = 0


def look():
    global looked
    looked += 1
    if looked > MOST:
        raise Stopped(f"{MOST} things were looked at")


def say(line):
    try:
        gdb.write(line + "\n")
    except UnicodeError:  # the terminal has not that character
        gdb.write(line.encode("ascii", "backslashreplace").decode() + "\n")


def going_on(tell, function, *arguments):
    """Calls it; where it cannot go on, that is told, and the caller goes on."""
    try:
        function(*arguments)
    except (Stopped, gdb.error) as fault:
        tell(f"  (stopped here: {fault})")


def chain(link, follow):
    """The links of a list, as far as they can be believed."""
    seen = set()
    while int(link):
        look()
        if int(link) in seen:
            raise Stopped(f"the list leads back into itself at {int(link):#x}")
        seen.add(int(link))
        yield link
        link = follow(link)


@functools.lru_cache(maxsize=None)
def pointer(name):
    return gdb.lookup_type("struct " + name).pointer()


@functools.lru_cache(maxsize=None)
def function(name):
    """The address of a global function; 0: the program has not got it. The overlay may
    have no debug information."""
    try:
        return int(gdb.parse_and_eval(f"(long)&{name}"))
    except gdb.error:
        return 0


@functools.lru_cache(maxsize=None)
def number(name):
    """An enumerator of the library's."""
    return int(gdb.parse_and_eval(name))


def offset(name, field):
    fields = gdb.lookup_type("struct " + name).fields()
    return next(found.bitpos // 8 for found in fields if found.name == field)


def at(address, name):
    """The struct of the library's that lies at an address."""
    return gdb.Value(int(address) & WORD).cast(pointer(name)).dereference()


def static(name, file):
    """A static variable of one of the library's files, as a symbol."""
    for symbol in gdb.lookup_static_symbols(name):
        if symbol.symtab.filename.endswith(file):
            return symbol
    raise Stopped(NO_LAYOUTS)


def memory(address, size):
    address = int(address) & WORD
    return gdb.selected_inferior().read_memory(address, size).tobytes()


def integer(raw, signed=False):
    """The integer that bytes of the target are."""
    is_big = "big endian" in gdb.execute("show endian", to_string=True)
    return int.from_bytes(raw, "big" if is_big else "little", signed=signed)


def word(address):
    return integer(memory(address, 8))


def readable(name):
    return DANGEROUS.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", name)


def text(address, most=600):
    """A text of the program's, in which nothing can drive a terminal or forge a line;
    None: NULL."""
    address, found = int(address), b""
    if address == 0:
        return None
    while b"\0" not in found and len(found) < most:  # never over the end of a page
        found += memory(address + len(found), 16 - (address + len(found)) % 16)
    name, end, _ = found.partition(b"\0")
    return readable(name.decode("utf-8", "replace")) + ("" if end else "...")


def numbered(table, index):
    """The address of what has a number (struct obv__numbering), or 0."""
    table = gdb.parse_and_eval(table)
    return int(table["things"][index]) if 0 < index < int(table["room"]) else 0


def all_numbered(table):
    numbers = range(1, int(gdb.parse_and_eval(table)["room"]))
    return [found for found in (numbered(table, index) for index in numbers) if found]


# Objects and classes ---------------------------------------------------------


class Object:
    """An observable object by its header: its class, and its node if it has one."""

    def __init__(self, address):
        self.address, header, self.node = int(address), word(address), None
        if header & 1:
            self.cls = at(header & ~1, "obv_class")
            self.is_object = header != 1 and header & ~1 == numbered(
                "obv__classes", int(self.cls["number"])
            )
        else:
            self.node = at(header & ~2, "obv_detail_node")
            found = numbered("obv__classes", int(self.node["class_number"]))
            self.cls, slots = at(found, "obv_class"), int(self.node["slot_count"])
            self.is_object = found != 0 and (
                slots == int(self.cls["property_count"]) if header & 2 else slots == 0
            )
        self.is_cell = self.is_object and bool(self.cls["is_cell"])

    def __str__(self):
        if self.is_cell:
            return f"{self.cell_name()} of {self.keeper()}"
        return f"{class_name(self.cls)} {self.start():#x}"

    def start(self):
        """The address of the object: of one of Swift, where that begins."""
        table = self.cls["table"].dereference()
        retain = int(table["retain"])
        if retain and retain == function("obv_swift_retain_model"):
            return self.address - 16
        if retain and retain == function("obv_swift_retain_host"):
            # The header of struct obv_swift_class stands behind the table.
            return self.address - word(int(table.address) + table.type.sizeof)
        return self.address

    def keeper(self):
        """The container of a cell; else the object."""
        cell = at(self.address, "obv__cell")
        return Object(cell["container"]) if self.is_cell else self

    def cell_name(self):
        cell, kind = at(self.address, "obv__cell"), self.cls["container"]["elements"]
        if int(kind) == int(gdb.parse_and_eval("&obv__positions")):
            entries = chain(cell["followed"].address, lambda entry: entry["parent"])
            position = sum(int(entry["distance"]) for entry in entries) % (1 << 64)
            return f"{'' if cell['is_occurrence'] else '#'}{position}"
        key = cell["key"]
        return key_name(key) if int(key) else f"&{int(cell['by_key']['hash'])}"

    def late(self):
        """The late properties of its class (struct obv__late), or None."""
        late = int(self.cls["late"])
        return at(late, "obv__late") if late else None

    def property_count(self):
        late = self.late()
        return int(self.cls["property_count"]) + (int(late["count"]) if late else 0)

    def property(self, index):
        """The `struct obv_property` of an index below the count."""
        count = int(self.cls["property_count"])
        if index < count:
            return self.cls["properties"][index].dereference()
        return self.late()["lines"][index - count]["property"]

    def slot_name(self, slot):
        if self.is_cell:
            return self.cell_name()
        if slot < self.property_count():
            return text(self.property(slot)["name"])
        return "*" if slot == number("OBV__SLOT_EVERY") else "(no property)"

    def more(self):
        more = int(self.node["more"]) if self.node is not None else 0
        return at(more, "obv__more") if more else None

    def slots(self):
        """(index, struct obv_detail_slot) of the properties, the late ones behind."""
        first, more = self.node["slots"][0].address, self.more()
        for index in range(int(self.node["slot_count"])):
            yield index, (first + index).dereference()
        base, size = int(self.cls["property_count"]), number("OBV__LATE_FIRST")
        has_late = more is not None and int(more["late"])
        for page in range(number("OBV__SLOT_PAGES") if has_late else 0):
            slots = at(more["late"], "obv__late_slots")["pages"][page]
            for index in range(size if int(slots) else 0):
                if base + index < self.property_count():
                    slot = slots.cast(pointer("obv_detail_slot")) + index
                    yield base + index, slot.dereference()
            base, size = base + size, 2 * size

    def lists(self):
        """(the object, slot, head) of each list of watchers: of the properties, of `*`,
        of those that hold none; of a container also those of the cells."""
        every, more = number("OBV__SLOT_EVERY"), self.more()
        for index, slot in self.slots() if self.node is not None else ():
            yield self, index, int(slot["head"])
        if self.node is not None and int(self.node["slot_count"]) == 0:
            yield self, every, int(self.node["slots"][0]["head"])
        elif more is not None:
            yield self, every, int(more["every"])
        if more is not None:
            yield self, number("OBV__SLOT_NONE"), int(more["attached"])
        for cell in self.cells():
            yield from Object(cell).lists()

    def cells(self):
        if int(self.cls["container"]) == 0 or self.is_cell:
            return ()
        elements = int(at(self.address, "obv_container")["reserved"])
        first = at(elements, "obv__elements")["all"]["tqh_first"] if elements else 0
        return chain(first, lambda cell: cell["of_container"]["tqe_next"])

    def record(self, index):
        """What is kept of a computed property (struct obv__computed), or None."""
        slots = dict(self.slots()) if self.node is not None else {}
        found = int(slots[index]["all_pending_at"]) if index in slots else 0
        return at(found, "obv__computed") if found else None


def class_name(cls):
    """So much of it as people read: Swift makes it unique behind a space."""
    return text(cls["table"]["name"]).split(" ")[0]


def key_name(key):
    is_text = int(key["kind"]) == int(gdb.parse_and_eval("&obv_text_keys"))
    return text(key["value"]) if is_text else "(a key of the program's)"


def object_at(address):
    """The object whose header lies there, or None."""
    try:
        found = Object(address)
        return found if found.is_object else None
    except gdb.error:
        return None


def object_of(address):
    """The object that begins there, of C or of Swift, or None."""
    found = object_at(address)
    for behind in range(16, 16 + 8 * 64, 8) if found is None else ():
        host = object_at(address + behind)
        if host is not None and host.start() == address:
            return host
    return found


def evaluate(expression):
    """(the address that an expression means, the name of the struct there or None)"""
    value = gdb.parse_and_eval(expression)
    if value.is_optimized_out:
        raise gdb.GdbError(f"{expression} has no value here: it is optimized out")
    if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        return int(value), kind.target().strip_typedefs().tag
    if kind.code != gdb.TYPE_CODE_STRUCT or value.address is None:
        return int(value), None
    if kind.fields():
        return int(value.address), kind.tag
    # To gdb a variable of Swift is a struct without fields; it holds the reference.
    return word(value.address), None


def find_object(expression):
    address, _ = evaluate(expression)
    found = object_of(address)
    if found is None:
        going_on(say, say_why_none, address)
        raise gdb.GdbError(f"{expression} is no observable object")
    return found


def say_why_none(address):
    if word(address) == 0:
        say("obv_object_init() has not made it")
    elif word(address + 16) == 1:
        say("it has not met the library: nobody observes it")


# Paths -----------------------------------------------------------------------


def name_of(names, identity):
    """The text of an interned name."""
    if not 0 < identity <= int(names["count"]):
        return "(an unknown name)"
    return text(names["by_id"][identity - 1]["text"].address)


def escaped(name):
    name = re.sub(r"([.*#&@\\])", r"\\\1", name)
    return "\\" + name if name == "count" or name.isdigit() else name


def element_text(names, element):
    kind = element["kind"].cast(gdb.lookup_type("enum obv_element_kind"))
    kind, value = str(kind).rsplit("OBV_ELEMENT_", 1)[-1], int(element["number"])
    if kind == "NAME":
        return escaped(name_of(names, int(element["name"])))
    if kind == "KEY":
        return key_name(at(value, "obv_key"))
    if kind == "COMPONENT":
        component = at(value, "obv_component")
        name = int(component["name"]) and name_of(names, int(component["name"]))
        return text(component["text"]) if not name or name == "count" else escaped(name)
    shown = {"POSITION": f"#{value}", "MEMBER": f"&{value}", "OCCURRENCE": str(value)}
    return shown.get(kind, "count" if kind == "COUNT" else "*")


def path_text(path):
    """A `struct obv_path`: as it was written, or by its elements."""
    count, first = int(path["count"]), path["elements"][0].address
    if not path["is_open"]:
        return text(first + count)
    names = path["names"].dereference()
    elements = ((first + index).dereference() for index in range(count))
    return ".".join(element_text(names, element) for element in elements)


def nodes_to(node):
    """(element, path node) along the path that ends at a path node."""
    names = node["paths"]["context"]["names"].dereference()
    links = chain(node.address, lambda link: link["in_trie"]["parent"].cast(link.type))
    found = [(element_text(names, link["in_trie"]["element"]), link) for link in links]
    return found[::-1]


def nodes_below(top):
    """A path node and those below it, parents first."""
    waiting = [top]
    for node in waiting:
        yield node
        below = node["in_trie"]["first_child"].cast(node.type)
        waiting += chain(below, lambda link: link["in_trie"]["next"].cast(link.type))


def container_of(instance):
    """The object at which a path instance hangs, or None."""
    binding = instance["binding"]
    return object_at(binding["place"]) if int(binding) else None


def led_to(instance):
    """The objects that paths are wired to behind a path instance."""
    top, found, waiting = instance["node"], [], [instance["branches"]["sph_root"]]
    for node in nodes_below(top):
        if int(node["in_trie"]["parent"]) == int(top) and not node["is_beneath"]:
            found.append(container_of(node["own"]))
    for branch in waiting:
        if int(branch):
            look()
            found.append(container_of(branch["instance"]))
            waiting += [branch["entry"]["spe_left"], branch["entry"]["spe_right"]]
    return [behind for behind in found if behind is not None]


# Observations ----------------------------------------------------------------


def has(watcher, flag, field="type"):
    return int(watcher[field]) & number(flag) != 0


def form_of(watcher):
    """SOLO, GROUP, MEMBER, BINDING, or EDGE: see model/watcher.h."""
    forms = ("SOLO", "GROUP", "MEMBER", "BINDING")
    form = forms[int(watcher["type"]) & number("OBV__WHAT")]
    return "EDGE" if form == "BINDING" and has(watcher, "OBV__IS_EDGE") else form


def watchers(head):
    first = gdb.Value(head & ~7).cast(pointer("obv__watcher"))
    return (link.dereference() for link in chain(first, lambda link: link["next"]))


def observation_of(pair):
    return at(pair["of"], "obv__watcher") if form_of(pair) == "MEMBER" else pair


def group_of(observation):
    is_group = form_of(observation) == "GROUP"
    return at(observation.address, "obv__group") if is_group else None


def item_of(observation):
    """The word of what can be pending (base/coalescing_set.h); 0: it cannot."""
    if not has(observation, "OBV__HAS_ITEM"):
        return 0
    return int(at(observation.address, "obv__delayed")["item"]["word"])


def pairs_of(observation):
    """Its pairs; of one that has none, itself."""
    group = group_of(observation)
    if group is None or int(group["members"]) == 0:
        return [observation]
    links = chain(group["members"], lambda link: link["with"]["next_member"])
    return [link.dereference() for link in links]


def path_node_of(pair):
    place = int(pair["place"])
    return at(place & ~1, "obv__path_node") if place & 1 else None


def path_of(pair):
    """(the text of its path or None, its root or None, it leads nowhere)"""
    node, noted, slot = path_node_of(pair), None, int(pair["slot"])
    root = object_at(node["paths"]["root"] if node is not None else pair["place"])
    if form_of(pair) == "MEMBER" and has(pair, "OBV__RECORDING"):
        noted = at(pair.address, "obv__recording_member")
    if noted is not None and int(noted["path"]):
        return path_text(noted["path"]), root, bool(noted["is_nowhere"])
    if node is not None:
        return ".".join(name for name, _ in nodes_to(node)), root, False
    if root is None or form_of(pair) == "GROUP":
        return None, root, False
    return root.slot_name(slot), root, False


def line(file, number_of_line):
    return f" ({text(file)}:{int(number_of_line)})" if int(file) else ""


def begun_at(observation, kind):
    group = group_of(observation)
    is_of_call = int(kind["flags"]) & number("OBV_KIND_IS_OF_CALL")
    if group is not None and int(observation["file"]) and not is_of_call:
        return line(observation["file"], group["line"])
    return line(kind["file"], kind["line"])


def observer_of(observation, kind):
    address = int(observation["of"])
    linked = has(observation, "OBV__OBSERVER_LINKED") and object_at(address)
    label = f' "{text(kind["label"])}"' if int(kind["label"]) else ""
    return (f"observer {linked or hex(address)}" if address else "no observer") + label


def describe(pair, leads_on=False, is_stale=False):
    """A line of an observation by one of its pairs: its number in a trace, and what
    obv_debug_show_all_observers() says."""
    observation = observation_of(pair)
    if form_of(observation) not in ("SOLO", "GROUP"):
        raise Stopped(f"at {int(observation.address):#x} lies no observation")
    head = f"#{int(observation['serial'])}"
    if has(observation, "OBV__DONE", "state"):
        return head + " is over: its handle alone is left"
    kind, item = observation["with"]["kind"].dereference(), item_of(observation)
    path, root, is_nowhere = path_of(pair)
    turned = has(observation, "OBV__TURNED", "state")
    is_immediate = has(observation, "OBV__IMMEDIATE") or turned
    loop = numbered("obv__loops", item >> 48)
    parts = (
        f"{head} {path or '(no path)'} from {root or '(no root)'}",
        observer_of(observation, kind),
        "immediate" if is_immediate else f"delayed on loop {loop:#x}",
        "token" if has(observation, "OBV__TOKEN") else "",
        "pending" if item & 1 else "",
        "leads on" if leads_on else "",
        "unresolved" if is_nowhere else "",
    )
    stale = " NOT WHAT IS STORED" if is_stale else ""
    return ", ".join(filter(None, parts)) + begun_at(observation, kind) + stale


def entries(place, slot, head):
    """(pair, it leads on, it is stale) of all that observes by a list."""
    for watcher in watchers(head):
        form = form_of(watcher)
        if form == "BINDING" and slot != number("OBV__SLOT_NONE"):
            instance = at(watcher["of"], "obv__path_instance")
            if int(instance["binding"]) != int(watcher.address):
                continue
            leads_on = has(watcher, "OBV__MIDDLE", "state")
            stale = leads_on and is_not_stored(place, slot, instance)
            for node in nodes_below(instance["node"]):
                is_middle = int(node) != int(instance["node"])
                for leaf in watchers(int(node["leaves"])):
                    yield leaf, is_middle, is_middle and stale
        elif form in ("SOLO", "MEMBER") and has(watcher, "OBV__LINKED", "state"):
            yield watcher, False, False


def is_not_stored(place, slot, instance):
    """Whether another object is stored than the one that is wired (DB-2). It is not
    known of what a binding's code reads."""
    stored = stored_object(place, slot)
    wired = {found.keeper().address for found in led_to(instance)}
    return stored is not None and wired != ({stored} if stored else set())


# Values ----------------------------------------------------------------------


def kind_of(value):
    return str(value["kind"]).rsplit("OBV_KIND_", 1)[-1]


def field_of(found, prop):
    """Where a stored value lies; None: the program's code says that."""
    if found.cls["is_foreign"] or int(found.cls["field"]):
        return None
    return found.start() + int(prop["offset"])


def holds_object(prop):
    """Whether it is a reference to an object: a weak one of Swift is none."""
    if kind_of(prop) != "custom" or int(prop["size"]) != 8:
        return kind_of(prop) == "object"
    of_code = number("OBV_WEAK") | number("OBV_ANY_THREAD")
    return int(prop["custom"]["child"]) != 0 and not int(prop["flags"]) & of_code


def stored_object(found, slot):
    """The header of the object that a slot stores, or what is no header of one that the
    library has met; 0: it stores none; None: that is not known."""
    prop = found.property(slot) if slot < found.property_count() else None
    if prop is None or int(prop["computed"]) or not holds_object(prop):
        return None
    place = field_of(found, prop)
    if place is None or kind_of(prop) == "object" or word(place) == 0:
        return place and word(place)
    behind = object_of(word(place))
    return behind.address if behind is not None else word(place)


def value_text(prop, place):
    """The value of a property that lies at a place."""
    kind, size = kind_of(prop), int(prop["size"])
    if kind == "string":
        shown = text(word(place))
        return "NULL" if shown is None else f'"{shown}"'
    if kind == "pointer":
        return hex(word(place))
    if holds_object(prop):
        return reference_text(word(place))
    raw = memory(place, min(size, 32))
    if kind in ("f32", "f64"):
        bits = integer(raw).to_bytes(size, "little")
        return repr(struct.unpack("<f" if size == 4 else "<d", bits)[0])
    if kind in ("bytes", "custom"):
        return swift_text(raw) or plain(size, raw)
    unsigned = int(prop["flags"]) & number("OBV_UNSIGNED")
    is_signed = kind[0] == "i" or kind == "enum" and not unsigned
    value = integer(raw, is_signed)
    return ("false", "true")[value & 1] if kind == "bool" else str(value)


def reference_text(address):
    if address == 0:
        return "NULL"
    found = object_of(address)
    if found is None and word(address + 16) == 1:
        return f"{address:#x}, which has not met the library"
    return str(found or f"{address:#x}, which is no object")


def plain(size, raw):
    """Bytes whose type is not known here."""
    shown = f"{size} bytes: {raw.hex(' ')}{' ...' if len(raw) < size else ''}"
    if size in (1, 2, 4, 8):
        shown += f" (as an integer {integer(raw, True)})"
    return shown


def swift_text(raw):
    """16 bytes that have the form of a `String` of Swift, as text; else None."""
    try:
        count, start = struct.unpack("<QQ", raw)
        if raw[15] >> 4 == 14:  # it stands in them
            return f'"{readable(raw[: raw[15] & 15].decode())}"'
        count, start = count & (1 << 48) - 1, (start & (1 << 56) - 1) + 32
        found = memory(start, count + 1) if 15 < count < 1000 else b""
        is_text = found.find(b"\0") == count
        return f'"{readable(found[:-1].decode())}"' if is_text else None
    except (gdb.error, struct.error, UnicodeDecodeError):
        return None


def is_valid(record):
    """As obv__computed_is_valid() of model/computed.h has it (LL-8)."""
    flags = int(record["flags"])
    if flags & number("OBV__INVALID") != number("OBV__FOREIGN"):
        return flags & number("OBV__INVALID") == 0
    looked_at = int(record["more"]["inbound_sets"])
    is_now = looked_at == int(gdb.parse_and_eval("obv__inbound_sets"))
    return is_now or flags & number("OBV__WAS_SET") != 0


# Commands --------------------------------------------------------------------


def observers(argument):
    found = find_object(argument)
    show(found, gather_observers(found))


def gather_observers(found):
    """The lines of all that observes at an object, by property."""
    lines = {}
    for of_list in found.lists():
        told = lines.setdefault(of_list[0].slot_name(of_list[1]), [])
        shown = (describe(*entry) for entry in entries(*of_list))
        going_on(told.append, told.extend, shown)
    return lines


def show(found, lines):
    say(f"{found}{'' if any(lines.values()) else ', which nobody observes'}")
    for title, told in lines.items():
        for shown in ["  " + title, *("    " + line for line in told)] if told else ():
            say(shown)


def split(argument):
    """(OBJ, PATH): a path is one word, or stands in quotes."""
    parts = re.fullmatch(r'(.+?)\s+("[^"]*"|\S+)\s*', argument)
    if parts is None:
        raise gdb.GdbError("an object and a path are needed")
    return parts[1], parts[2].strip('"')


def along_path(argument):
    expression, path = split(argument)
    found = find_object(expression)
    say(str(found))
    for element in re.findall(r"(?:[^.\\]|\\.)+", path):
        if found is None:
            say(f"  {element}: the library knows no object in front of it")
            return
        found = show_element(found, re.sub(r"\\(.)", r"\1", element))


def show_element(found, element):
    """Says what is known of an element's value; the object that it is, or None."""
    is_container = int(found.cls["container"]) != 0
    if is_container and element == "count":
        say(f"  count = {int(at(found.address, 'obv_container')['count'])}")
        return None
    indexes = range(found.property_count())
    index = next((i for i in indexes if found.slot_name(i) == element), None)
    if index is None and (is_container or element == "*"):
        say(f"  {element}: code of the program says what stands there")
    elif index is None:
        say(f"  {element}: {class_name(found.cls)} has no such property")
    if index is None:
        return None
    prop = found.property(index)
    note, place = "", field_of(found, prop)
    if int(prop["computed"]):
        note, place = computed_value(found.record(index), prop)
    value = f" = {value_text(prop, place)}" if place else ": the program reads it"
    say(f"  {element}{note}{value}")
    return object_of(word(place)) if place and holds_object(prop) else None


def computed_value(record, prop):
    """(what is to be said of it, the place of its last value or None)"""
    if record is None or int(record["flags"]) & number("OBV__NO_VALUE"):
        return " (computed, NOT valid: it has no value yet)", None
    state = "valid" if is_valid(record) else "NOT valid: its last value"
    place = int(record["field"]) if kind_of(prop) != "custom" else None
    return f" (computed, {state})", place


def graph(argument):
    """All that is reached from an object, nearest first."""
    waiting = [find_object(argument)]
    seen = {waiting[0].address}
    for found in waiting:
        look()
        lines, faults = gather_observers(found), []
        going_on(faults.append, gather_edges, found, lines, waiting, seen)
        show(found, lines)
        for fault in faults:
            say(fault)


def gather_edges(found, lines, waiting, seen):
    """Adds the edges at an object to `lines`, and what is behind them to `waiting`."""
    for place, slot, manner, other, there in edges(found):
        of = "" if there is None else f"{other.slot_name(int(there))} of "
        told = lines.setdefault(place.slot_name(slot), [])
        told += [f"{manner} {of}{other}"] if f"{manner} {of}{other}" not in told else []
        if other.keeper().address not in seen:
            seen.add(other.keeper().address)
            waiting.append(other.keeper())


def edges(found):
    """(place, slot, the edge's manner, the other object, its slot or None)."""
    for place, slot, head in found.lists():
        for watcher in watchers(head):
            if form_of(watcher) == "EDGE":
                for reader in readers(at(watcher.address, "obv__hub")["edges"]):
                    yield place, slot, "computes", *reader
            elif form_of(watcher) == "BINDING":
                for behind in led_to(at(watcher["of"], "obv__path_instance")):
                    yield place, slot, "leads to", behind, None
    for index in range(found.property_count()):
        is_computed = int(found.property(index)["computed"])
        record = found.record(index) if is_computed else None
        for reader in readers(record["readers"]) if record is not None else ():
            yield found, index, "computes", *reader
        for source in sources(record["sources"]) if record is not None else ():
            yield found, index, "computed of", *source


def readers(first):
    for edge in chain(first, lambda edge: edge["next_there"]):
        yield from place_of(edge["reader"].dereference())


def sources(first):
    for edge in chain(first, lambda edge: edge["next"]):
        source = int(edge["source"]) & ~7
        if int(edge["source"]) & 1:
            yield from place_of(at(source, "obv__computed"))
            continue
        for watcher in watchers(word(source)) if source else ():
            if form_of(watcher) == "EDGE":
                yield Object(watcher["place"]), watcher["slot"]


def place_of(record):
    """The object and the slot of a computed property, unless its object has ended."""
    if not int(record["flags"]) & number("OBV__ENDED"):
        yield Object(record["object"]), record["slot"]


# Why -------------------------------------------------------------------------


def find_observation(expression):
    """The observation that a handle is, or a token or handle of Swift; else None."""
    address, name = evaluate(expression)
    if name in ("obv_observation", "obv__watcher"):
        return at(address, "obv__watcher")
    if name is not None or object_of(address) is not None:
        return None
    for place in (word(address + 16), address):  # Swift's begins with the pointer
        try:
            found = at(place, "obv__watcher")
            describe(pairs_of(found)[0])
            return found
        except (gdb.error, Stopped):
            pass
    return None


def why(argument):
    found = find_observation(argument) if argument else None
    if not argument:
        everything()
    elif found is not None:
        explain(found)
    else:
        of_object, seen = find_object(argument), {}
        for of_list in of_object.lists():
            for pair, *_ in entries(*of_list):
                seen.setdefault(int(observation_of(pair).address), observation_of(pair))
        say(f"{of_object}: {len(seen)} observations")
        for observation in seen.values():
            going_on(say, explain, observation)


def explain(observation):
    """All that keeps an observation from being called, or has made it due."""
    for pair in pairs_of(observation):
        say(describe(pair))
        going_on(say, explain_path, pair)
    if not has(observation, "OBV__LINKED", "state"):
        say("  it has ended, and is called no more")
        return
    if has(observation, "OBV__CANCELLED", "state"):
        say("  its scheduled call was taken back")
    item, group = item_of(observation), group_of(observation)
    explain_item(item)
    for thread, aside in put_aside():
        if int(aside["observation"]) == int(observation.address):
            say(f"  it waits for the end of the batch of thread {thread}")
    if group is not None and int(group["records"]):
        for record in chain(group["records"]["first"], lambda record: record["next"]):
            going_on(say, show_record, record)
    elif item & 1:
        say("  its cause is not kept: a record keeps it, OBV_TRACE=1 tells it")


def explain_item(item):
    if item & 1:
        loop = at(numbered("obv__loops", item >> 48), "obv_loop")
        state = "is drained now" if int(loop["drainer"]) else "is drained"
        state = "has ended: it does not come" if int(loop["ended"]) else state
        asks = ", and for a look at what it is computed of"
        perhaps = asks if item & 4 else ""  # OBV__ITEM_PERHAPS
        say(f"  its call waits until loop {int(loop.address):#x} {state}{perhaps}")
    elif item:
        called = item & ~(0xFFFF << 48) & ~15  # the cycle of its last call
        say(f"  no call waits, and it was {'called' if called else 'never called'}")


def explain_path(pair):
    node, (_, root, is_nowhere) = path_node_of(pair), path_of(pair)
    if is_nowhere:
        say(f"  the path leads nowhere: {class_name(root.cls)} has no such property")
    for name, link in nodes_to(node) if node is not None else []:
        if link["is_beneath"]:
            state = "behind each element of the `*`"
        elif int(link["own"]["binding"]):
            state = f"at {container_of(link['own'])}"
        elif int(link["end"]):
            state = "nowhere any more: the element that it followed has left"
        else:
            state = "nowhere: there is no object in front of it"
        say(f"  {name} hangs {state}")


def show_record(record):
    cause, name = record["last_cause"], text(record["text"]) or "its path"
    values = f"from {told(record['first'])} to {told(record['last'])}"
    changes = f"{int(record['changes'])} changes, {values}"
    where = line(cause["file"], cause["line"])
    say(f"  {name}: {changes}, the last by thread {int(cause['thread'])}{where}")


def told(value):
    """A value that is handed over (struct obv_value)."""
    kind = kind_of(value)
    if kind == "unreachable":
        return "none"
    if kind in ("custom", "bytes") or int(value["property"]) == 0:
        return "a value"
    return value_text(value["property"].dereference(), int(value["as"].address))


def threads():
    first = static("threads", "reclaim.c").value()["list"]["lh_first"]
    return chain(first, lambda thread: thread["entry"]["le_next"])


def kept_by(thread, slot):
    """A word that a module keeps in a thread's record (enum in dispatch/loop.h)."""
    return int(thread["slots"][number(slot)])


def put_aside():
    """(number of the thread, struct obv__aside) of all that waits for a batch's end."""
    for thread in threads():
        batch = kept_by(thread, "OBV__THREAD_BATCH")
        first = at(batch, "obv__batch")["first"] if batch else 0
        for aside in chain(first, lambda aside: aside["next"]):
            yield kept_by(thread, "OBV__THREAD_NUMBER"), aside


def everything():
    for thread in threads():
        going_on(say, show_thread, thread)
    going_on(say, show_stack)
    for _, aside in put_aside():
        if int(aside["observation"]):
            going_on(say, explain, at(aside["observation"], "obv__watcher"))
    for loop in all_numbered("obv__loops"):
        going_on(say, show_loop, at(loop, "obv_loop"))


def show_thread(thread):
    inside = ", inside the library" if int(thread["epoch"]) else ""
    say(f"thread {kept_by(thread, 'OBV__THREAD_NUMBER')}{inside}")
    last = thread["running"].type.range()[1]
    for index in range(min(int(thread["running_nested"]), last) + 1):
        running = int(thread["running"][index])
        if running and not running & 1:  # 1: it is looked at, and not called
            say("  calls " + describe(pairs_of(at(running, "obv__watcher"))[0]))
    source = kept_by(thread, "OBV__THREAD_SOURCE")
    if source:
        source = at(source, "obv_source")
        say(f"  changes{line(source['file'], source['line'])}")


def show_loop(loop):
    waiting = list(pending_in(loop["set"]))
    drained = ", and it is drained now" if int(loop["drainer"]) else ""
    say(f"loop {int(loop.address):#x}: {len(waiting)} pending{drained}")
    for observation in waiting:
        going_on(say, explain, observation)


def pending_in(items):
    """The observations in a coalescing set, in their order."""
    shared, own = items["shared"], [items[of] for of in ("current", "later", "owned")]
    lists = [(chained["first"], chained["last"]) for chained in own]
    if int(shared["tail"]) != int(shared["stub"]):
        lists.append((shared["stub"]["next"], shared["tail"]))
    for first, last in lists:
        for link in chain(first, lambda link: link["next"]):
            yield at(int(link) - offset("obv__delayed", "item"), "obv__watcher")
            if int(link) == int(last):
                break


def frames():
    """(frame, the file of its code) of the selected thread, where the file is known."""
    frame = gdb.newest_frame()
    while frame is not None:
        look()
        symtab = frame.find_sal().symtab
        if symtab is not None:
            yield frame, symtab.fullname()
        frame = frame.older()


def top_folder():
    """The folder of the library's sources, as its debug information has it."""
    file = static("threads", "reclaim.c").symtab.fullname()
    return file[: -len("csrc/base/reclaim.c")]


def show_stack():
    """The changes and drains on the selected thread's stack, and who makes them."""
    top, core, callers = top_folder(), [], 0
    overlay = (top + "Sources/", top + "include/observable")
    for frame, file in frames():
        if file.startswith(top + "csrc"):
            core, callers = core + [frame.name() or ""], 2
        elif callers and not file.startswith(overlay):
            manner = "drain" if any("drain" in name for name in core) else "change"
            say((f"inside a {manner}:" if core else "  called:") + line_of(frame))
            core, callers = [], callers - 1


def line_of(frame):
    sal, name = frame.find_sal(), frame.name() or "$"
    name = "" if name.startswith("$") else " " + name  # of Swift it is mangled
    return f"{name} ({sal.symtab.filename}:{sal.line})"


# Break points ----------------------------------------------------------------


def break_on_change(argument):
    expression, path = split(argument)
    found = find_object(expression)
    connection = getattr(gdb.selected_inferior(), "connection", None)
    if connection is not None and connection.type == "core":
        raise gdb.GdbError("a core file does not go on: nothing changes there")
    if not function("obv_debug_break_on_change"):
        raise gdb.GdbError("the program is linked without obv_debug_break_on_change()")
    if is_inside():
        raise gdb.GdbError(
            "the program has stopped inside the library, where it cannot be called: go "
            "on to a line of the program (finish), and repeat this"
        )
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    arguments = f'(void *){found.address}, "{quoted}", 0, 0, 0'
    status = gdb.parse_and_eval(f"(int)obv_debug_break_on_change({arguments})")
    if int(status):
        status = gdb.parse_and_eval(f"(enum obv_status){int(status)}")
        raise gdb.GdbError(f"it is refused: {status}")
    say(f"stops when {readable(path)} of {found} changes")


def is_inside():
    """Whether the selected thread runs code of the core, or of the system for it."""
    of_system = re.compile(r".*/(libc|libpthread|libbsd|ld-)[^/]*$")
    for frame, file in frames():
        if not of_system.match(gdb.solib_name(frame.pc()) or ""):
            return file.startswith(top_folder() + "csrc")
    return False


# Registration ----------------------------------------------------------------


class Command(gdb.Command):
    """A command whose faults are sentences."""

    def __init__(self, name, run, usage):
        self.__doc__ = usage
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)
        self.run = run

    def invoke(self, argument, from_tty):
        global looked
        looked = 0
        for cached in (pointer, function, number):
            cached.cache_clear()
        language = gdb.parameter("language")
        gdb.execute("set language c", to_string=True)
        try:
            if gdb.selected_thread() is None:
                raise gdb.GdbError("there is no process, and no core file")
            if gdb.lookup_global_symbol("obv_object_init") is None:
                raise gdb.GdbError(NO_LAYOUTS)
            self.run(argument.strip())
        except gdb.GdbError:
            raise
        except Exception as fault:  # memory that cannot be, of whatever kind
            say(f"(stopped here: {fault})")
        finally:
            gdb.execute("set language " + language, to_string=True)


class Name(gdb.Function):
    """$obv_name(NAMES, ID): an interned name, of a struct obv_names *."""

    def __init__(self):
        super().__init__("obv_name")

    def invoke(self, names, identity):
        return name_of(names.dereference(), int(identity))


class Printed:
    def __init__(self, shown):
        self.shown = shown

    def to_string(self):
        return self.shown


PRINTERS = {
    "obv_object": lambda value: str(object_at(value.address) or "") or None,
    "obv_class": lambda value: f"class {text(value['table']['name'])}",
    "obv_path": path_text,
    "obv_observation": lambda value: describe(
        pairs_of(at(value.address, "obv__watcher"))[0]
    ),
}


def observable(value):
    """A printer of objects, classes, paths, observations, and of pointers to them."""
    global looked
    looked, kind = 0, value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        kind = kind.target().strip_typedefs()
        value = value.dereference() if kind.tag in PRINTERS else value
    if kind.tag not in PRINTERS:
        return None
    try:
        shown = PRINTERS[kind.tag](value)
        return Printed(shown) if shown is not None else None
    except Exception:  # it is shown as it lies there
        return None


for command in (
    ("obv-observers", observers, "The observations at an object: obv-observers OBJ"),
    ("obv-path", along_path, "The known values along a path: obv-path OBJ PATH"),
    ("obv-why", why, "Why it is called, or not: obv-why [OBSERVATION | OBJ]"),
    ("obv-graph", graph, "The graph from an object on: obv-graph OBJ"),
    ("obv-break", break_on_change, "Stops when a path changes: obv-break OBJ PATH"),
):
    Command(*command)
Name()
observable.name = "observable"
gdb.pretty_printers[:] = [
    printer
    for printer in gdb.pretty_printers
    if getattr(printer, "name", "") != observable.name
] + [observable]
