// SPDX-License-Identifier: Apache-2.0
/*
 * The Objective-C side of P7: three classes, whose setters hold what they are
 * given, and an observer of the key path.
 */
#import <Foundation/Foundation.h>

#include "model.h"

@interface BenchB : NSObject {
    int c;
}
- (int)c;
- (void)setC:(int)value;
@end

@implementation BenchB
- (int)c
{
    return c;
}

- (void)setC:(int)value
{
    c = value;
}
@end

@interface BenchA : NSObject {
    BenchB *b;
}
- (BenchB *)b;
- (void)setB:(BenchB *)value;
@end

@implementation BenchA
- (BenchB *)b
{
    return b;
}

- (void)setB:(BenchB *)value
{
    ASSIGN(b, value);
}

- (void)dealloc
{
    [b release];
    [super dealloc];
}
@end

@interface BenchRoot : NSObject {
    BenchA *a;
}
- (BenchA *)a;
- (void)setA:(BenchA *)value;
@end

@implementation BenchRoot
- (BenchA *)a
{
    return a;
}

- (void)setA:(BenchA *)value
{
    ASSIGN(a, value);
}

- (void)dealloc
{
    [a release];
    [super dealloc];
}
@end

@interface BenchChainObserver : NSObject {
  @public
    struct tally *seen;
}
@end

@implementation BenchChainObserver
- (void)observeValueForKeyPath:(NSString *)keyPath
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context
{
    tally_add(seen, [[[(BenchRoot *)object a] b] c]);
}
@end

struct chain {
    BenchRoot *root;
    BenchA *as[2];
    BenchB *bs[2];
    BenchChainObserver *observer;
    NSAutoreleasePool *pool;
};

static BenchB *make_b(int c)
{
    BenchB *b = [BenchB new];
    [b setC:c];
    return b;
}

static BenchA *make_a(int c)
{
    BenchA *a = [BenchA new];
    BenchB *b = make_b(c);
    [a setB:b];
    [b release];
    return a;
}

void *bench_gnustep_chain_create(struct tally *seen)
{
    struct chain *chain = calloc(1, sizeof *chain);
    chain->pool = [NSAutoreleasePool new];
    chain->root = [BenchRoot new];
    BenchA *first = make_a(0);
    [chain->root setA:first];
    [first release];
    for (int odd = 0; odd < 2; odd++) {
        chain->as[odd] = make_a(2 - odd);
        chain->bs[odd] = make_b(2 - odd);
    }
    chain->observer = [BenchChainObserver new];
    chain->observer->seen = seen;
    [chain->root addObserver:chain->observer
                  forKeyPath:@"a.b.c"
                     options:0
                     context:NULL];
    return chain;
}

void bench_gnustep_chain_destroy(void *given)
{
    struct chain *chain = given;
    [chain->root removeObserver:chain->observer forKeyPath:@"a.b.c"];
    [chain->root release];
    for (int odd = 0; odd < 2; odd++) {
        [chain->as[odd] release];
        [chain->bs[odd] release];
    }
    [chain->observer release];
    [chain->pool release];
    free(chain);
}

BENCH_SETTER void bench_gnustep_set_leaf(void *given, int value)
{
    struct chain *chain = given;
    [[[chain->root a] b] setC:value];
}

BENCH_SETTER void bench_gnustep_replace_b(void *given, int value)
{
    struct chain *chain = given;
    [[chain->root a] setB:chain->bs[value & 1]];
}

BENCH_SETTER void bench_gnustep_replace_a(void *given, int value)
{
    struct chain *chain = given;
    [chain->root setA:chain->as[value & 1]];
}

int bench_gnustep_leaf(void *given)
{
    struct chain *chain = given;
    return [[[chain->root a] b] c];
}
