/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key paths: the grammar and every position of its errors, as a table and
 * against a second, naive parser; the typed form; printing; lack of memory.
 */
#include "path_check.h"
#include "test.h"

#include <observable/path.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct obv_names *make_names(void)
{
    struct obv_names *names = NULL;
    CHECK_EQ(obv__names_create(test_allocator(), &names), OBV_OK);
    return names;
}

/* What the scanner made of a text: `name(a) any #3 4 &5 count`. */
static const char *describe(const struct obv_names *names,
                            const struct obv_path *path)
{
    static char text[4096];
    size_t at = 0;
    const struct obv_element *element = obv_path_elements(path);
    for (size_t i = 0; i < obv_path_count(path); i++, element++) {
        const char *name = obv_names_text(names, element->name, NULL);
        char *to = text + at;
        size_t room = sizeof text - at;
        const char *gap = i > 0 ? " " : "";
        static const char *const marks[] = {"", "", "", "#", "", "&"};
        if (element->kind == OBV_ELEMENT_NAME) {
            at += (size_t)snprintf(to, room, "%sname(%s)", gap,
                                   name ? name : "none");
        } else if (element->kind == OBV_ELEMENT_COUNT) {
            CHECK_TEXT(name, "count");
            at += (size_t)snprintf(to, room, "%scount", gap);
        } else if (element->kind == OBV_ELEMENT_ANY) {
            at += (size_t)snprintf(to, room, "%sany", gap);
        } else {
            at += (size_t)snprintf(to, room, "%s%s%" PRIu64, gap,
                                   marks[element->kind], element->number);
        }
    }
    return text;
}

static struct obv_path *parse(struct obv_names *names, const char *text,
                              size_t length)
{
    struct obv_path *path = NULL;
    CHECK_EQ(obv_path_parse(names, text, length, &path, NULL), OBV_OK);
    CHECK(path_check(path, names));
    return path;
}

static void check_good(const char *text, const char *want)
{
    struct obv_names *names = make_names();
    struct obv_path *path = parse(names, text, strlen(text));
    CHECK_TEXT(describe(names, path), want);
    obv_path_destroy(path);
    obv__names_destroy(names);
}

/* Observing and stopping answer the same error, intern and allocate nothing. */
static void check_bad_bytes(const char *text, size_t length, size_t position)
{
    struct obv_names *names = make_names();
    size_t before = test_allocations();
    for (int finding = 0; finding < 2; finding++) {
        struct obv_path *path = NULL;
        struct obv_error error = {0};
        CHECK_EQ(finding ? obv_path_find(names, text, length, &path, &error)
                         : obv_path_parse(names, text, length, &path, &error),
                 OBV_E_SYNTAX);
        if (error.position != position) {
            fprintf(stderr, "  of \"%.60s\" (%s):\n", text, error.message);
        }
        CHECK_EQ(error.position, position);
        CHECK_EQ(error.status, OBV_E_SYNTAX);
        CHECK_EQ(error.index, 0);
        CHECK(error.message && path == NULL);
    }
    CHECK_EQ(names_count(names), 0);
    CHECK_EQ(test_allocations(), before);
    obv__names_destroy(names);
}

static void check_bad(const char *text, size_t position)
{
    check_bad_bytes(text, strlen(text), position);
}

TEST(KP_1_every_form_of_element_is_read)
{
    check_good("a", "name(a)");
    check_good("address.zipCode", "name(address) name(zipCode)");
    check_good("*", "any");
    check_good("*.*.b", "any any name(b)");
    check_good("#0", "#0");
    check_good("list.#12.title", "name(list) #12 name(title)");
    check_good("4", "4");
    check_good("list.0.title", "name(list) 0 name(title)");
    check_good("&0", "&0");
    check_good("count", "count");
    check_good("list.count", "name(list) count");
    check_good("counts", "name(counts)");
    check_good("Count", "name(Count)");
    check_good("12a", "name(12a)");
    check_good("012a", "name(012a)");
    check_good("99999999999999999999x", "name(99999999999999999999x)");
    check_good("-1", "name(-1)");
    check_good(" ", "name( )");
    check_good("a b.\t", "name(a b) name(\t)");
    check_good("$%!\"'()[]{}<>/:;,~^|=+?", "name($%!\"'()[]{}<>/:;,~^|=+?)");
}

TEST(KP_1_numbers_reach_their_limits)
{
    check_good("9223372036854775807", "9223372036854775807");
    check_good("#9223372036854775807", "#9223372036854775807");
    check_good("&18446744073709551615", "&18446744073709551615");
    check_bad("9223372036854775808", 0);
    check_bad("#9223372036854775808", 1);
    check_bad("&18446744073709551616", 1);
    check_bad("a.99999999999999999999", 2);
    check_bad("list.#99999999999999999999", 6);
    check_bad("list.#99999999999999999999.a", 6);
    check_bad("&99999999999999999999999999999999999999999", 1);
}

TEST(KP_1_DI_4_an_escape_makes_plain_text)
{
    check_good("\\count", "name(count)");
    check_good("coun\\t", "name(count)");
    check_good("\\12", "name(12)");
    check_good("1\\2", "name(12)");
    check_good("\\0", "name(0)");
    check_good("\\007", "name(007)");
    check_good("a\\.b", "name(a.b)");
    check_good("a\\.b.c", "name(a.b) name(c)");
    check_good("\\*", "name(*)");
    check_good("\\#1", "name(#1)");
    check_good("\\&1", "name(&1)");
    check_good("\\@x", "name(@x)");
    check_good("a\\@b\\#c\\&d\\*e", "name(a@b#c&d*e)");
    check_good("\\\\", "name(\\)");
    check_good("\\\\.\\\\", "name(\\) name(\\)");
    check_good("\\a", "name(a)");
    check_good("\\\xC3\xA9t\\\xC3\xA9", "name(\xC3\xA9t\xC3\xA9)");
}

TEST(DI_4_the_key_count_and_the_property_count_differ)
{
    struct obv_names *names = make_names();
    struct obv_path *count = parse(names, "count", 5);
    struct obv_path *key = parse(names, "\\count", 6);
    CHECK(!obv_path_equal(count, key));
    CHECK_EQ(obv_path_elements(count)->name, obv_path_elements(key)->name);
    obv_path_destroy(count);
    obv_path_destroy(key);
    obv__names_destroy(names);
}

TEST(KP_1_empty_elements_are_errors_where_they_should_begin)
{
    check_bad("", 0);
    check_bad(".", 0);
    check_bad(".i", 0);
    check_bad("b..i", 2);
    check_bad("*..i", 2);
    check_bad("#1..i", 3);
    check_bad("\\...i", 3);
    check_bad("b...", 2);
}

TEST(KP_1_what_ends_too_early_is_an_error_at_the_length)
{
    check_bad("b.i.", 4);
    check_bad("*.", 2);
    check_bad("1.", 2);
    check_bad("#", 1);
    check_bad("a.&", 3);
    check_bad("a\xC3", 2);
    check_bad("a\xE2\x82", 3);
    check_bad("\xF0\x9F\x98", 3);
    check_bad("\\\xC3", 2);
}

TEST(KP_1_a_trailing_backslash_is_an_error_at_the_length)
{
    check_bad("\\", 1);
    check_bad("a\\", 2);
    check_bad("a.\\", 3);
    check_bad("a\\\\\\", 4);
}

TEST(KP_1_special_characters_inside_an_element_are_errors_where_they_stand)
{
    check_bad("b*c", 1);
    check_bad("b*", 1);
    check_bad("**", 1);
    check_bad("*a", 1);
    check_bad("*#", 1);
    check_bad("*\\a", 1);
    check_bad("*1", 1);
    check_bad("a#1", 1);
    check_bad("a.b#", 3);
    check_bad("a&1", 1);
    check_bad("a@b", 1);
    check_bad("a\\*b*", 4);
    check_bad("1*", 1);
    check_bad("12#", 2);
    check_bad("1&", 1);
    check_bad("count*", 5);
    check_bad("#*", 1);
    check_bad("##", 1);
    check_bad("#@", 1);
    check_bad("&#1", 1);
    check_bad("&&1", 1);
}

TEST(KP_1_a_mark_wants_digits_and_nothing_else)
{
    check_bad("#a", 1);
    check_bad("#.a", 1);
    check_bad("#-1", 1);
    check_bad("#+1", 1);
    check_bad("# 1", 1);
    check_bad("#1a", 2);
    check_bad("#1 ", 2);
    check_bad("#12\\3", 3);
    check_bad("&0x1F", 2);
    check_bad("&\\1", 1);
    check_bad("&1#", 2);
}

TEST(KP_1_a_needless_zero_is_an_error_at_the_first_digit)
{
    check_bad("00", 0);
    check_bad("007", 0);
    check_bad("a.01.b", 2);
    check_bad("#01", 1);
    check_bad("#00.a", 1);
    check_bad("a.&00", 3);
    check_bad("#01a", 1);
}

TEST(KP_1_an_at_sign_first_points_to_computed_properties)
{
    struct obv_names *names = make_names();
    struct obv_path *path = NULL;
    struct obv_error error;
    CHECK_EQ(obv_path_parse(names, "list.@max", 9, &path, &error),
             OBV_E_SYNTAX);
    CHECK_EQ(error.position, 5);
    CHECK(strstr(error.message, "computed propert"));
    obv__names_destroy(names);
    check_bad("@max", 0);
    check_bad("@", 0);
}

TEST(KP_1_good_utf8_is_read)
{
    check_good("stra\xC3\x9F"
               "e",
               "name(stra\xC3\x9F"
               "e)");
    check_good("\xC2\x80.\xDF\xBF", "name(\xC2\x80) name(\xDF\xBF)");
    check_good("\xE0\xA0\x80.\xEF\xBF\xBF",
               "name(\xE0\xA0\x80) name(\xEF\xBF\xBF)");
    check_good("\xED\x9F\xBF.\xEE\x80\x80",
               "name(\xED\x9F\xBF) name(\xEE\x80\x80)");
    check_good("\xF0\x90\x80\x80.\xF4\x8F\xBF\xBF",
               "name(\xF0\x90\x80\x80) name(\xF4\x8F\xBF\xBF)");
}

TEST(KP_1_bad_utf8_is_an_error_at_the_byte_that_cannot_go_on)
{
    check_bad("\x80", 0);
    check_bad("a\xBF", 1);
    check_bad("a.\xC0\x80", 2);
    check_bad("\xC1\xBF", 0);
    check_bad("\xC3.a", 1);
    check_bad("\xC3\xC3", 1);
    check_bad("\xE0\x80\x80", 1);
    check_bad("\xE0\x9F\xBF", 1);
    check_bad("\xED\xA0\x80", 1);
    check_bad("\xED\xBF\xBF", 1);
    check_bad("\xE2\x82.", 2);
    check_bad("\xF0\x8F\xBF\xBF", 1);
    check_bad("\xF4\x90\x80\x80", 1);
    check_bad("\xF5\x80\x80\x80", 0);
    check_bad("\xFF", 0);
    check_bad("\xF0\x9F\x98.", 3);
    check_bad("a\\\x80", 2);
}

TEST(KP_1_a_nul_is_an_error)
{
    check_bad_bytes("\0", 1, 0);
    check_bad_bytes("a\0b", 3, 1);
    check_bad_bytes("a.\0", 3, 2);
    check_bad_bytes("a\\\0", 3, 2);
    check_bad_bytes("#\0", 2, 1);
    check_bad_bytes("#1\0", 3, 2);
    check_bad_bytes("*\0", 2, 1);
    check_bad_bytes("1\0", 2, 1);
}

TEST(KP_1_a_path_has_at_most_255_elements)
{
    char text[2 * OBV_PATH_COUNT_MAX + 2];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = i % 2 ? '.' : 'a';
    }
    size_t most = 2 * OBV_PATH_COUNT_MAX - 1;
    struct obv_names *names = make_names();
    struct obv_path *path = parse(names, text, most);
    CHECK_EQ(obv_path_count(path), OBV_PATH_COUNT_MAX);
    obv_path_destroy(path);
    obv__names_destroy(names);
    check_bad_bytes(text, most + 2, most);
    check_bad_bytes(text, most + 1, most);
}

TEST(KP_1_a_path_has_at_most_65535_bytes)
{
    static char text[OBV_PATH_LENGTH_MAX + 4];
    size_t most = OBV_PATH_LENGTH_MAX;
    memset(text, 'x', sizeof text);
    struct obv_names *names = make_names();
    obv_path_destroy(parse(names, text, most));
    text[0] = '\\';
    obv_path_destroy(parse(names, text, most));
    obv__names_destroy(names);
    check_bad_bytes(text, most + 1, most);
    check_bad_bytes(text, most + 4, most);
    memcpy(text + most - 1, "\xC3\xA9", 2);
    check_bad_bytes(text, most + 1, most);
    text[most - 1] = '.';
    check_bad_bytes(text, most + 1, most);
    check_bad_bytes(text, most, most);
    text[9] = '*';
    check_bad_bytes(text, most + 1, 9);
    memset(text, '1', sizeof text);
    check_bad_bytes(text, most + 1, 0);
}

TEST(KP_1_finding_interns_nothing_and_equals_no_path_that_exists)
{
    struct obv_names *names = make_names();
    struct obv_path *made = parse(names, "a.#1", 4), *found, *unknown, *again;
    uint32_t before = names_count(names);
    CHECK_EQ(obv_path_find(names, "a.#1", 4, &found, NULL), OBV_OK);
    CHECK(obv_path_equal(made, found));
    CHECK_EQ(obv_path_find(names, "b\\.c.count", 10, &unknown, NULL), OBV_OK);
    CHECK_EQ(obv_path_elements(unknown)[0].name, OBV_NAME_NONE);
    CHECK_EQ(obv_path_elements(unknown)[1].name, OBV_NAME_NONE);
    CHECK_EQ(obv_path_elements(unknown)[1].kind, OBV_ELEMENT_COUNT);
    CHECK_EQ(obv_path_find(names, "d.count", 7, &again, NULL), OBV_OK);
    CHECK(!obv_path_equal(unknown, again));
    CHECK(!obv_path_equal(unknown, unknown));
    CHECK(path_check(unknown, names));
    CHECK_EQ(names_count(names), before);
    obv_path_destroy(made);
    obv_path_destroy(found);
    obv_path_destroy(unknown);
    obv_path_destroy(again);
    obv__names_destroy(names);
}

TEST(path_equality_is_that_of_all_elements)
{
    static const char *const texts[] = {"a",  "b",   "a.b", "a.b.c", "#1",
                                        "1",  "&1",  "*",   "\\*",   "\\1",
                                        "#2", "a.*", "*.a", "count", "\\count"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    struct obv_names *names = make_names();
    for (size_t i = 0; i < TEXTS; i++) {
        for (size_t j = 0; j < TEXTS; j++) {
            struct obv_path *a = parse(names, texts[i], strlen(texts[i]));
            struct obv_path *b = parse(names, texts[j], strlen(texts[j]));
            CHECK_EQ(obv_path_equal(a, b), i == j);
            obv_path_destroy(a);
            obv_path_destroy(b);
        }
    }
    obv__names_destroy(names);
}

/* The typed form. */

static enum obv_status make(struct obv_names *names, struct obv_element element,
                            struct obv_path **path)
{
    return obv_path_make(names, &element, 1, path, NULL);
}

TEST(KP_19_typed_and_text_form_make_the_same_path)
{
    struct obv_names *names = make_names();
    struct obv_path *text = parse(names, "a.*.#1.2.&3.count", 17), *typed;
    struct obv_element elements[] = {
        {OBV_ELEMENT_NAME, obv__names_find(names, "a", 1), 77},
        {OBV_ELEMENT_ANY, 77, 77},
        {OBV_ELEMENT_POSITION, 77, 1},
        {OBV_ELEMENT_OCCURRENCE, 77, 2},
        {OBV_ELEMENT_MEMBER, 77, 3},
        {OBV_ELEMENT_COUNT, 0, 77}};
    CHECK_EQ(obv_path_make(names, elements, 6, &typed, NULL), OBV_OK);
    CHECK(path_check(typed, names));
    CHECK(obv_path_equal(text, typed));
    obv_path_destroy(text);
    obv_path_destroy(typed);
    obv__names_destroy(names);
}

TEST(KP_1_the_empty_key_exists_in_typed_form)
{
    struct obv_names *names = make_names();
    struct obv_path *path;
    uint32_t id;
    CHECK_EQ(obv_names_intern(names, "", 0, &id), OBV_OK);
    CHECK_EQ(make(names, (struct obv_element){OBV_ELEMENT_NAME, id, 0}, &path),
             OBV_OK);
    CHECK_TEXT(describe(names, path), "name()");
    CHECK(obv_path_equal(path, path));
    obv_path_destroy(path);
    obv__names_destroy(names);
}

TEST(path_make_refuses_what_is_out_of_range)
{
    struct obv_names *names = make_names();
    struct obv_path *path = NULL;
    static const struct obv_element bad[] = {
        {OBV_ELEMENT_NAME, 0, 0},
        {OBV_ELEMENT_NAME, 1, 0},
        {OBV_ELEMENT_POSITION, 0, (uint64_t)INT64_MAX + 1},
        {OBV_ELEMENT_OCCURRENCE, 0, UINT64_MAX},
        {OBV_ELEMENT_MEMBER + 1, 0, 0},
        {UINT32_MAX, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQ(make(names, bad[i], &path), OBV_E_ARGUMENT);
    }
    static struct obv_element many[OBV_PATH_COUNT_MAX + 1];
    for (size_t i = 0; i <= OBV_PATH_COUNT_MAX; i++) {
        many[i].kind = OBV_ELEMENT_ANY;
    }
    struct obv_error error;
    CHECK_EQ(obv_path_make(names, many, OBV_PATH_COUNT_MAX + 1, &path, &error),
             OBV_E_LIMIT);
    CHECK_EQ(error.status, OBV_E_LIMIT);
    CHECK_EQ(obv_path_make(names, many, 0, &path, &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_path_make(names, NULL, 1, &path, NULL), OBV_E_ARGUMENT);
    CHECK(path == NULL);
    CHECK_EQ(obv_path_make(names, many, OBV_PATH_COUNT_MAX, &path, NULL),
             OBV_OK);
    obv_path_destroy(path);
    obv__names_destroy(names);
}

TEST(path_calls_refuse_null_arguments)
{
    struct obv_names *names = make_names();
    struct obv_path *path = NULL;
    struct obv_error error;
    CHECK_EQ(obv_path_parse(NULL, "a", 1, &path, &error), OBV_E_ARGUMENT);
    CHECK_EQ(error.status, OBV_E_ARGUMENT);
    CHECK_EQ(obv_path_parse(names, NULL, 1, &path, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_path_parse(names, "a", 1, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_path_parse(names, NULL, 0, &path, &error), OBV_E_SYNTAX);
    CHECK_EQ(error.position, 0);
    obv_path_destroy(NULL);
    obv__names_destroy(names);
}

/* Printing. */

static void check_print(const char *text, const char *want)
{
    struct obv_names *names = make_names();
    struct obv_path *path = parse(names, text, strlen(text));
    char buffer[64];
    size_t length = obv_path_print(names, obv_path_elements(path),
                                   obv_path_count(path), buffer, sizeof buffer);
    CHECK_TEXT(buffer, want);
    CHECK_EQ(length, strlen(want));
    obv_path_destroy(path);
    obv__names_destroy(names);
}

TEST(path_print_escapes_what_needs_it_and_nothing_else)
{
    check_print("a.*.#1.2.&3.count", "a.*.#1.2.&3.count");
    check_print("\\a\\b", "ab");
    check_print("\\count.coun\\t", "\\count.\\count");
    check_print("\\12.1\\2", "\\12.\\12");
    check_print("\\007", "\\007");
    check_print("a\\.b\\*\\#\\&\\@\\\\", "a\\.b\\*\\#\\&\\@\\\\");
    check_print("1\\.5", "1\\.5");
    check_print("&18446744073709551615", "&18446744073709551615");
    check_print("\\\xC3\xA9", "\xC3\xA9");
}

TEST(path_print_cuts_as_snprintf_does)
{
    struct obv_names *names = make_names();
    struct obv_path *path = parse(names, "ab.#17", 6);
    const struct obv_element *elements = obv_path_elements(path);
    CHECK_EQ(obv_path_print(names, elements, 2, NULL, 0), 6);
    for (size_t size = 1; size <= 8; size++) {
        char buffer[9] = "????????", want[9] = "ab.#17";
        CHECK_EQ(obv_path_print(names, elements, 2, buffer, size), 6);
        want[size - 1] = '\0';
        CHECK_TEXT(buffer, want);
        CHECK(buffer[size] == '?' || size == 8);
    }
    char none[1];
    CHECK_EQ(obv_path_print(names, NULL, 0, none, 1), 0);
    CHECK_TEXT(none, "");
    obv_path_destroy(path);
    obv__names_destroy(names);
}

/*
 * A naive second parser. Whether a text is a path it finds by splitting it at
 * its bare dots and judging each part whole; the position of a fault by the
 * definition in the header: the longest beginning that some ending completes.
 */

static bool naive_decode(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned lead = (unsigned char)text[i];
        size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        static const unsigned least[] = {1, 0x80, 0x800, 0x10000};
        unsigned point = more == 0 ? lead : lead & (0x3Fu >> more);
        if ((lead >= 0x80 && lead < 0xC0) || lead > 0xF7 ||
            i + more >= length) {
            return false;
        }
        for (size_t j = 1; j <= more; j++) {
            unsigned c = (unsigned char)text[i + j];
            if (c >> 6 != 2) {
                return false;
            }
            point = point << 6 | (c & 0x3F);
        }
        if (point < least[more] || point > 0x10FFFF ||
            (point >= 0xD800 && point <= 0xDFFF)) {
            return false;
        }
        i += more + 1;
    }
    return true;
}

struct naive {
    unsigned kind;
    uint64_t number;
    char name[64];
    size_t name_length;
};

/* Digits, and in `strict` mode a number that is allowed. */
static bool naive_number(const char *text, size_t length, uint64_t max,
                         bool strict, uint64_t *number)
{
    char digits[80];
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (length == 0 || strspn(digits, "0123456789") != length) {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(digits, NULL, 10);
    *number = value;
    return !strict ||
           (errno == 0 && value <= max && (digits[0] != '0' || length == 1));
}

static bool naive_name(const char *text, size_t length, struct naive *out)
{
    bool escaped = false;
    out->name_length = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            escaped = true;
            if (++i == length) {
                return false;
            }
        } else if (strchr("*#&@", text[i])) { /* and NUL */
            return false;
        }
        out->name[out->name_length++] = text[i];
    }
    out->name[out->name_length] = '\0';
    out->kind = !escaped && strcmp(out->name, "count") == 0 ? OBV_ELEMENT_COUNT
                                                            : OBV_ELEMENT_NAME;
    return out->name_length > 0 && naive_decode(text, length);
}

static bool naive_element(const char *text, size_t length, bool strict,
                          struct naive *out)
{
    uint64_t any;
    out->number = 0;
    out->kind = length > 0 && text[0] == '#'   ? OBV_ELEMENT_POSITION
                : length > 0 && text[0] == '&' ? OBV_ELEMENT_MEMBER
                : length > 0 && text[0] == '*' ? OBV_ELEMENT_ANY
                                               : OBV_ELEMENT_OCCURRENCE;
    switch (out->kind) {
    case OBV_ELEMENT_ANY:
        return length == 1;
    case OBV_ELEMENT_POSITION:
        return naive_number(text + 1, length - 1, INT64_MAX, strict,
                            &out->number);
    case OBV_ELEMENT_MEMBER:
        return naive_number(text + 1, length - 1, UINT64_MAX, strict,
                            &out->number);
    default:
        return naive_number(text, length, INT64_MAX, false, &any)
                   ? naive_number(text, length, INT64_MAX, strict, &out->number)
                   : naive_name(text, length, out);
    }
}

/* The number of elements, 0 if it is no path; `*bad` receives the first digit
   of the first number that only `strict` refuses. */
static size_t naive_path(const char *text, size_t length, bool strict,
                         struct naive *out, size_t *bad)
{
    size_t count = 0, begin = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] == '\\') {
            i++;
        } else if (i == length || text[i] == '.') {
            size_t size = i - begin;
            if (!naive_element(text + begin, size, false, &out[count])) {
                return 0;
            }
            if (!naive_element(text + begin, size, true, &out[count])) {
                size_t first =
                    begin + (text[begin] == '#' || text[begin] == '&');
                *bad = *bad < first ? *bad : first;
                if (strict) {
                    return 0;
                }
            }
            count++;
            begin = i + 1;
        }
    }
    return begin == length + 1 ? count : 0;
}

/* Whether some ending makes a path of a beginning, numbers not judged. */
static bool naive_viable(const char *text, size_t length)
{
    static const char *const endings[] = {
        "",         "x",           "1", "\x80", "\x80\x80", "\x80\x80\x80",
        "\xA0\x80", "\x90\x80\x80"};
    struct naive out[64];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char whole[64];
        size_t more = strlen(endings[i]), bad = SIZE_MAX;
        memcpy(whole, text, length);
        memcpy(whole + length, endings[i], more);
        if (naive_path(whole, length + more, false, out, &bad) > 0) {
            return true;
        }
    }
    return false;
}

/* A digit run behind a mark is a number as soon as it is read, also when what
   follows it is bad. */
static size_t naive_marked(const char *text, size_t length, size_t upto)
{
    for (size_t i = 0; i < upto; i++) {
        bool begins =
            i == 0 || (text[i - 1] == '.' && (i < 2 || text[i - 2] != '\\'));
        if (begins && (text[i] == '#' || text[i] == '&')) {
            size_t end = i + 1;
            uint64_t number;
            while (end < length && text[end] >= '0' && text[end] <= '9') {
                end++;
            }
            uint64_t max = text[i] == '#' ? INT64_MAX : UINT64_MAX;
            if (end > i + 1 &&
                !naive_number(text + i + 1, end - i - 1, max, true, &number)) {
                return i + 1;
            }
        }
    }
    return SIZE_MAX;
}

static size_t naive_position(const char *text, size_t length)
{
    size_t position = 0, bad = SIZE_MAX;
    while (position < length && naive_viable(text, position + 1)) {
        position++;
    }
    struct naive out[64];
    for (size_t end = 0; end <= position; end++) {
        if (end == length || text[end] == '.') {
            naive_path(text, end, false, out, &bad);
        }
    }
    size_t marked = naive_marked(text, length, position);
    bad = bad < marked ? bad : marked;
    return bad < position ? bad : position;
}

static size_t random_text(char *text)
{
    static const char *const pieces[] = {
        "a",    "b",        ".",        ".",    ".",        "*",
        "#",    "&",        "@",        "\\",   "\\",       "0",
        "1",    "27",       "count",    "#1",   "&3",       "\xC3\xA9",
        "\xC3", "\xE2\x82", "\xED\xA0", "\xBF", "\xF0\x9F", "9999999999999999",
        "99999"};
    size_t length = 0;
    for (uint64_t n = test_random() % 8; n > 0; n--) {
        uint64_t which = test_random() % 27;
        if (which < 25) {
            size_t size = strlen(pieces[which]);
            if (length + size < 40) {
                memcpy(text + length, pieces[which], size);
                length += size;
            }
        } else {
            text[length++] = (char)(test_random() & 0xFF);
        }
    }
    return length;
}

static void say_text(const char *text, size_t length)
{
    fprintf(stderr, "  the text:");
    for (size_t i = 0; i < length; i++) {
        fprintf(stderr, " %02x", (unsigned char)text[i]);
    }
    fputc('\n', stderr);
}

static void check_against_naive(struct obv_names *names, const char *text,
                                size_t length)
{
    struct naive want[64];
    struct obv_path *path = NULL;
    struct obv_error error;
    size_t bad = SIZE_MAX;
    size_t count = naive_path(text, length, true, want, &bad);
    enum obv_status status = obv_path_parse(names, text, length, &path, &error);
    if (status != (count ? OBV_OK : OBV_E_SYNTAX) ||
        (!count && error.position != naive_position(text, length))) {
        say_text(text, length);
    }
    if (count == 0) {
        CHECK_EQ(status, OBV_E_SYNTAX);
        CHECK_EQ(error.position, naive_position(text, length));
        return;
    }
    CHECK_EQ(status, OBV_OK);
    CHECK_EQ(obv_path_count(path), count);
    const struct obv_element *have = obv_path_elements(path);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ(have[i].kind, want[i].kind);
        CHECK_EQ(have[i].number, want[i].number);
        if (want[i].kind <= OBV_ELEMENT_COUNT) {
            CHECK_EQ(have[i].name,
                     obv__names_find(names, want[i].name, want[i].name_length));
        }
    }
    char again[128];
    size_t printed = obv_path_print(names, have, count, again, sizeof again);
    struct obv_path *second = parse(names, again, printed);
    CHECK(obv_path_equal(path, second));
    obv_path_destroy(path);
    obv_path_destroy(second);
}

TEST(KP_1_random_texts_are_read_as_a_naive_parser_reads_them)
{
    struct obv_names *names = make_names();
    for (int round = 0; round < 40000; round++) {
        char text[64];
        size_t length = random_text(text);
        check_against_naive(names, text, length);
    }
    CHECK(names_check(names));
    obv__names_destroy(names);
}

static struct obv_element random_element(struct obv_names *names)
{
    static const char *const pieces[] = {"a", ".",  "*",  "#",        "&",
                                         "@", "\\", "12", "\xC3\xA9", "count"};
    struct obv_element element = {(uint32_t)(test_random() % 6), 0, 0};
    element.number = test_random() >> (1 + test_random() % 63);
    if (element.kind == OBV_ELEMENT_NAME) {
        char text[64] = "";
        for (uint64_t n = 1 + test_random() % 4; n > 0; n--) {
            strcat(text, pieces[test_random() % 10]);
        }
        CHECK_EQ(obv_names_intern(names, text, strlen(text), &element.name),
                 OBV_OK);
    }
    return element;
}

TEST(KP_19_random_typed_paths_print_as_text_that_parses_to_the_same)
{
    struct obv_names *names = make_names();
    for (int round = 0; round < 10000; round++) {
        struct obv_element elements[6];
        size_t count = 1 + test_random() % 6;
        for (size_t i = 0; i < count; i++) {
            elements[i] = random_element(names);
        }
        struct obv_path *typed;
        CHECK_EQ(obv_path_make(names, elements, count, &typed, NULL), OBV_OK);
        char text[512];
        size_t length = obv_path_print(names, obv_path_elements(typed), count,
                                       text, sizeof text);
        struct obv_path *parsed = parse(names, text, length);
        CHECK(obv_path_equal(typed, parsed));
        obv_path_destroy(typed);
        obv_path_destroy(parsed);
    }
    obv__names_destroy(names);
}

/* Lack of memory. */

TEST(path_calls_change_nothing_when_the_nth_allocation_fails)
{
    static const char text[] = "a.b\\.c.count.\\12.#3";
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct obv_names *names = make_names();
        struct obv_path *path = NULL, *found = NULL;
        struct obv_error error = {0};
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_path_parse(names, text, strlen(text), &path, &error);
        if (status == OBV_OK) {
            status = obv_path_find(names, text, strlen(text), &found, &error);
        }
        done = !test_allocation_failed();
        test_fail_allocation(0, false);
        /* The names' hash table does without. */
        CHECK(status == OBV_OK || (!done && status == OBV_E_MEMORY));
        CHECK_EQ(error.status, status);
        CHECK(status == OBV_OK ? obv_path_equal(path, found) : found == NULL);
        CHECK(names_check(names));
        obv_path_destroy(path);
        obv_path_destroy(found);
        obv__names_destroy(names);
    }
}

TEST(path_make_changes_nothing_when_the_nth_allocation_fails)
{
    static const struct obv_element count = {OBV_ELEMENT_COUNT, 0, 0};
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct obv_names *names = make_names();
        struct obv_path *path = NULL;
        test_fail_allocation(n, false);
        enum obv_status status = make(names, count, &path);
        done = !test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, done ? OBV_OK : OBV_E_MEMORY);
        CHECK(done == (path != NULL));
        obv_path_destroy(path);
        obv__names_destroy(names);
    }
}
