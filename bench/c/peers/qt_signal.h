// SPDX-License-Identifier: Apache-2.0
/*
 * Qt's signals: connected directly for P2; for P4 by a queued connection,
 * which posts an event for the receiver's thread.
 */
#ifndef BENCH_PEERS_QT_SIGNAL_H
#define BENCH_PEERS_QT_SIGNAL_H

#include "harness.h"

#include <QCoreApplication>
#include <QObject>

#include <atomic>

namespace bench
{

class qt_user : public QObject
{
    Q_OBJECT

  public:
    int age() const
    {
        return age_;
    }

    void setAge(int value)
    {
        if (value == age_) {
            return;
        }
        age_ = value;
        Q_EMIT ageChanged(value);
    }

  Q_SIGNALS:
    void ageChanged(int value);

  private:
    int age_ = 0;
};

/// P2, P5 and P6.
class qt_signal
{
  public:
    static constexpr const char *name = "Qt signal";

    explicit qt_signal(watch, int observers = 1)
    {
        for (int i = 0; i < observers; i++) {
            connect();
        }
    }

    BENCH_SETTER void set(int value)
    {
        user_.setAge(value);
    }

    int get() const
    {
        return user_.age();
    }

    void add()
    {
        added_ = connect();
    }

    void remove()
    {
        QObject::disconnect(added_);
    }

    tally seen{};

  private:
    QMetaObject::Connection connect()
    {
        return QObject::connect(&user_, &qt_user::ageChanged, &user_,
                                [this](int value) { tally_add(&seen, value); });
    }

    qt_user user_;
    QMetaObject::Connection added_;
};

template <> inline constexpr bool watches_any<qt_signal> = false;

/// P4: the first set of a turn queues a call.
class qt_queued
{
  public:
    static constexpr const char *name = "Qt queued";

    qt_queued()
    {
        static int count = 1;
        static char program[] = "bench", *arguments[] = {program, nullptr};
        static QCoreApplication application(count, arguments);
    }

    BENCH_SETTER void set(int value)
    {
        if (value == age_) {
            return;
        }
        age_ = value;
        if (!pending_.exchange(true)) {
            QMetaObject::invokeMethod(
                &receiver_, [this] { see(); }, Qt::QueuedConnection);
        }
    }

    void deliver()
    {
        QCoreApplication::sendPostedEvents();
    }

    int get() const
    {
        return age_;
    }

    tally seen{};

  private:
    void see()
    {
        pending_ = false;
        tally_add(&seen, age_);
    }

    QObject receiver_;
    int age_ = 0;
    std::atomic<bool> pending_{false};
};

} // namespace bench

#endif
