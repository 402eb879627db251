/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that knows nothing of the library and loads modules that use it, as
 * one with plugins does. A thread that ran before calls each.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int (*start)(void);

static void *call_when_loaded(void *result)
{
    pthread_mutex_lock(&loading);
    *(int *)result = start ? start() : 1;
    pthread_mutex_unlock(&loading);
    return NULL;
}

static int load(const char *path)
{
    pthread_t thread;
    int result = 1;
    pthread_mutex_lock(&loading);
    int error = pthread_create(&thread, NULL, call_when_loaded, &result);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = module ? dlsym(module, "module_main") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
    }
    memcpy(&start, &found, sizeof start);
    pthread_mutex_unlock(&loading);
    return error != 0 || pthread_join(thread, NULL) != 0 || result != 0;
}

int main(int count, char **paths)
{
    int failed = count < 2;
    for (int i = 1; i < count; i++) {
        failed = load(paths[i]) || failed;
    }
    return failed;
}
