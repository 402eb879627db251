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

/// The model, who observes it, and the pool for what observing autoreleases.
struct pair {
    BenchUser *user;
    BenchObserver *observer;
    NSString *observed;
    NSAutoreleasePool *pool;
    unsigned sets;
};

void *bench_gnustep_create(struct tally *seen)
{
    struct pair *pair = calloc(1, sizeof *pair);
    pair->pool = [NSAutoreleasePool new];
    pair->user = [BenchUser new];
    pair->observer = [BenchObserver new];
    pair->observer->seen = seen;
    return pair;
}

void bench_gnustep_destroy(void *given)
{
    struct pair *pair = given;
    if (pair->observed != nil) {
        [pair->user removeObserver:pair->observer forKeyPath:pair->observed];
    }
    [pair->user release];
    [pair->observer release];
    [pair->pool release];
    free(pair);
}

void bench_gnustep_observe(void *given, bool age)
{
    struct pair *pair = given;
    pair->observed = age ? @"age" : @"size";
    [pair->user addObserver:pair->observer
                 forKeyPath:pair->observed
                    options:0
                    context:NULL];
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
