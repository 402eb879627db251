/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SipHash with one round a word and three at the end (Aumasson and Bernstein,
 * 2012; the shorter rounds are those that hash tables commonly use). Words are
 * read in the machine's own byte order, since no answer leaves the process.
 */
#include "base/hash.h"

#include "platform/bsd.h"

#include <string.h>

struct sip_state {
    uint64_t a, b, c, d;
};

static inline uint64_t sip_rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void sip_turn(struct sip_state *s)
{
    s->a += s->b;
    s->c += s->d;
    s->b = sip_rotate(s->b, 13) ^ s->a;
    s->d = sip_rotate(s->d, 16) ^ s->c;
    s->a = sip_rotate(s->a, 32);
    s->c += s->b;
    s->a += s->d;
    s->b = sip_rotate(s->b, 17) ^ s->c;
    s->d = sip_rotate(s->d, 21) ^ s->a;
    s->c = sip_rotate(s->c, 32);
}

static inline void sip_take(struct sip_state *s, uint64_t word)
{
    s->d ^= word;
    sip_turn(s);
    s->a ^= word;
}

void obv__hash_key_init(struct obv__hash_key *key)
{
    arc4random_buf(key, sizeof *key);
}

uint64_t obv__hash(const struct obv__hash_key *key, const void *bytes,
                   size_t size)
{
    struct sip_state s = {key->word[0] ^ UINT64_C(0x736f6d6570736575),
                          key->word[1] ^ UINT64_C(0x646f72616e646f6d),
                          key->word[0] ^ UINT64_C(0x6c7967656e657261),
                          key->word[1] ^ UINT64_C(0x7465646279746573)};
    const unsigned char *from = bytes;
    size_t left = size;
    uint64_t word;
    for (; left >= sizeof word; left -= sizeof word, from += sizeof word) {
        memcpy(&word, from, sizeof word);
        sip_take(&s, word);
    }
    word = (uint64_t)size << 56;
    for (size_t i = 0; i < left; i++) {
        word |= (uint64_t)from[i] << (8 * i);
    }
    sip_take(&s, word);
    s.c ^= 0xFF;
    sip_turn(&s);
    sip_turn(&s);
    sip_turn(&s);
    return s.a ^ s.b ^ s.c ^ s.d;
}
