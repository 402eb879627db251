/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of its own for a loop (DR-14): it makes a loop that is bound to it,
 * waits for the loop's descriptor and drains. All of it is here, made of what
 * <observable/loop.h> offers to any program, for systems with POSIX threads and
 * poll().
 *
 *     struct obv_loop_thread helper;
 *     if (obv_loop_thread_start(&helper, NULL) == OBV_OK) {
 *         ... observe with helper.loop ...
 *         obv_loop_thread_end(&helper);
 *     }
 *
 * All handlers of the loop run on the thread, and what they release. A drain
 * elsewhere answers OBV_E_THREAD and obv_execute() false. The thread blocks the
 * signals that the one blocks which starts it; in the child of fork() there is
 * none.
 */
#ifndef OBSERVABLE_LOOP_THREAD_H
#define OBSERVABLE_LOOP_THREAD_H

#include <observable/loop.h>

#include <poll.h>
#include <pthread.h>
#include <string.h>

OBV_BEGIN_DECLS

/** In the program's memory from the start to the end, and not moved. */
struct obv_loop_thread {
    /** The loop, once the thread has been started. */
    struct obv_loop *OBV_NULLABLE loop;
    /* The rest is the thread's. */
    struct obv_context *OBV_NULLABLE context;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t came;
    enum obv_status status;
    bool has_come, is_to_end;
};

static inline bool
obv_detail_loop_thread_goes_on(struct obv_loop_thread *OBV_NONNULL helper)
{
    pthread_mutex_lock(&helper->mutex);
    bool goes_on = helper->status == OBV_OK && !helper->is_to_end;
    pthread_mutex_unlock(&helper->mutex);
    return goes_on;
}

static inline void *OBV_NULLABLE
obv_detail_loop_thread_run(void *OBV_NONNULL argument)
{
    struct obv_loop_thread *helper = (struct obv_loop_thread *)argument;
    struct obv_loop_options options;
    struct pollfd waiting;
    struct obv_loop *loop = NULL;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.bound = true;
    memset(&waiting, 0, sizeof waiting);
    waiting.events = POLLIN;
    enum obv_status status = obv_loop_create(helper->context, &options, &loop);
    if (status == OBV_OK) {
        status = obv_loop_descriptor(loop, &waiting.fd);
    }
    pthread_mutex_lock(&helper->mutex);
    helper->loop = loop;
    helper->status = status;
    helper->has_come = true;
    pthread_cond_signal(&helper->came);
    pthread_mutex_unlock(&helper->mutex);
    while (obv_detail_loop_thread_goes_on(helper)) {
        /* Any other answer, an interruption, costs a drain of nothing. */
        (void)poll(&waiting, 1, -1);
        (void)obv_loop_drain(loop);
    }
    if (loop) {
        (void)obv_loop_destroy(loop);
    }
    return NULL;
}

/**
 * Starts a thread with a loop.
 *
 * @param context  whose loop it is; NULL: the default one's.
 * @return OBV_OK; OBV_E_SYSTEM if the system has no thread or descriptor left
 *         for it; as obv_loop_create(). On error there is neither.
 */
static inline enum obv_status
obv_loop_thread_start(struct obv_loop_thread *OBV_NONNULL helper,
                      struct obv_context *OBV_NULLABLE context)
{
    helper->loop = NULL;
    helper->context = context;
    helper->status = OBV_E_SYSTEM;
    helper->has_come = helper->is_to_end = false;
    pthread_mutex_init(&helper->mutex, NULL);
    pthread_cond_init(&helper->came, NULL);
    bool is_made = pthread_create(&helper->thread, NULL,
                                  obv_detail_loop_thread_run, helper) == 0;
    if (is_made) {
        pthread_mutex_lock(&helper->mutex);
        while (!helper->has_come) {
            pthread_cond_wait(&helper->came, &helper->mutex);
        }
        pthread_mutex_unlock(&helper->mutex);
        if (helper->status == OBV_OK) {
            return OBV_OK;
        }
        pthread_join(helper->thread, NULL);
    }
    pthread_cond_destroy(&helper->came);
    pthread_mutex_destroy(&helper->mutex);
    return helper->status;
}

/**
 * Ends what was started: the handler that runs is waited for, what is scheduled
 * is dropped and counted, as by obv_loop_destroy(). Before the context ends.
 *
 * Threads: any but this one, which holds nothing that the handler needs; once.
 */
static inline void
obv_loop_thread_end(struct obv_loop_thread *OBV_NONNULL helper)
{
    pthread_mutex_lock(&helper->mutex);
    helper->is_to_end = true;
    obv_loop_wake(helper->loop); /* which is there until the mutex is left */
    pthread_mutex_unlock(&helper->mutex);
    pthread_join(helper->thread, NULL);
    pthread_cond_destroy(&helper->came);
    pthread_mutex_destroy(&helper->mutex);
    helper->loop = NULL;
}

OBV_END_DECLS

#endif
