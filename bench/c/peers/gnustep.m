// SPDX-License-Identifier: Apache-2.0
/*
 * The Objective-C side of the GNUstep peer: a model class, an observer, and
 * the C functions that the bench calls.
 */
#import <Foundation/Foundation.h>

#include "model.h"

@interface BenchUser : NSObject {
    int age, size;
}
- (int)age;
- (void)setAge:(int)value;
- (int)size;
- (void)setSize:(int)value;
@end

@implementation BenchUser
- (int)age
{
    return age;
}

- (void)setAge:(int)value
{
    age = value;
}

- (int)size
{
    return size;
}

- (void)setSize:(int)value
{
    size = value;
}
@end

@interface BenchObserver : NSObject {
  @public
    struct tally *seen;
}
@end

@implementation BenchObserver
- (void)observeValueForKeyPath:(NSString *)keyPath
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context
{
    tally_add(seen, [(BenchUser *)object age]);
}
@end

/// As many as any scenario asks for.
enum { OBSERVERS = 101 };

/// The model, who observes it, and the pool for what observing autoreleases.
struct pair {
    BenchUser *user;
    NSString *observed;
    NSAutoreleasePool *pool;
    /* `made` observers, of which the first `count` observe. */
    BenchObserver *observers[OBSERVERS];
    unsigned made, count;
    struct tally *seen;
};

void bench_gnustep_remove(void *pair);

void *bench_gnustep_create(struct tally *seen)
{
    struct pair *pair = calloc(1, sizeof *pair);
    pair->pool = [NSAutoreleasePool new];
    pair->user = [BenchUser new];
    pair->seen = seen;
    return pair;
}

void bench_gnustep_destroy(void *given)
{
    struct pair *pair = given;
    while (pair->count > 0) {
        bench_gnustep_remove(pair);
    }
    [pair->user release];
    while (pair->made > 0) {
        [pair->observers[--pair->made] release];
    }
    [pair->pool release];
    free(pair);
}

void bench_gnustep_observe(void *given, bool age)
{
    struct pair *pair = given;
    if (pair->count == pair->made) {
        pair->observers[pair->made] = [BenchObserver new];
        pair->observers[pair->made++]->seen = pair->seen;
    }
    pair->observed = age ? @"age" : @"size";
    [pair->user addObserver:pair->observers[pair->count++]
                 forKeyPath:pair->observed
                    options:0
                    context:NULL];
}

void bench_gnustep_remove(void *given)
{
    struct pair *pair = given;
    [pair->user removeObserver:pair->observers[--pair->count]
                    forKeyPath:pair->observed];
}

BENCH_SETTER void bench_gnustep_set_age(void *given, int value)
{
    struct pair *pair = given;
    [pair->user setAge:value];
}

int bench_gnustep_age(void *given)
{
    struct pair *pair = given;
    return [pair->user age];
}
