// SPDX-License-Identifier: Apache-2.0
/*
 * What P13 observes: 100 roots with 1,000 object properties each, which lead to
 * 100,000 users; and one delayed observation of `*.*` from all the roots.
 * Nothing has hooks.
 */
#ifndef BENCH_STAR_H
#define BENCH_STAR_H

#include "model.h"

#include <string>
#include <vector>

namespace bench
{

class star
{
  public:
    static constexpr size_t roots = 100, width = 1000;
    static constexpr size_t objects = roots * width;

    star() : users_(objects), roots_(roots)
    {
        BENCH_REQUIRE(obv_loop_create(nullptr, nullptr, &loop_));
        for (user &one : users_) {
            user_init(&one, HOOKS_NONE);
        }
        for (size_t i = 0; i < roots; i++) {
            for (size_t j = 0; j < width; j++) {
                roots_[i].members[j] = &users_[i * width + j].object;
            }
            obv_object_init(&roots_[i].object, root_class());
        }
    }

    ~star()
    {
        for (root &one : roots_) {
            obv_object_deinit(&one.object);
        }
        for (user &one : users_) {
            obv_object_deinit(&one.object);
        }
        obv_loop_destroy(loop_);
    }

    star(const star &) = delete;
    star &operator=(const star &) = delete;

    /// All roots, or one in the middle alone.
    void observe(size_t first = 0, size_t count = roots)
    {
        std::vector<obv_pair> pairs;
        for (size_t i = first; i < first + count; i++) {
            pairs.push_back({&roots_[i].object, "*.*"});
        }
        obv_observe_options options{};
        options.size = sizeof options;
        options.loop = loop_;
        BENCH_REQUIRE(obv_observe_pairs(pairs.data(), pairs.size(), &kind(),
                                        this, &options, &handle_, nullptr));
    }

    void observe_one()
    {
        observe(middle / width, 1);
    }

    /// Also gives back what other observations have left to be freed.
    void stop()
    {
        user_stop(handle_);
        obv_context_collect(nullptr);
    }

    BENCH_SETTER void set(int value)
    {
        user_set_age(&users_[middle], value);
    }

    int get() const
    {
        return user_age(&users_[middle]);
    }

    void deliver()
    {
        obv_loop_drain(loop_);
    }

    tally seen{};

  private:
    struct root {
        obv_object object;
        obv_object *members[width];
    };

    /// The one that is set: in the middle of a root in the middle.
    static constexpr size_t middle = objects / 2 + width / 2;

    static void see(void *observer, obv_object *, const obv_call *)
    {
        star *self = static_cast<star *>(observer);
        tally_add(&self->seen, self->get());
    }

    static const obv_handler_kind &kind()
    {
        static const obv_handler_kind made = [] {
            obv_handler_kind one{};
            one.changed = see;
            one.label = "star";
            return one;
        }();
        return made;
    }

    /// "m0", "m1", ...
    static std::vector<std::string> make_names()
    {
        std::vector<std::string> names;
        for (size_t i = 0; i < width; i++) {
            names.push_back("m" + std::to_string(i));
        }
        return names;
    }

    static std::vector<obv_property> make_properties()
    {
        static const std::vector<std::string> names = make_names();
        std::vector<obv_property> properties(width);
        for (size_t i = 0; i < width; i++) {
            obv_property &one = properties[i];
            one = obv_property{};
            one.name = names[i].c_str();
            one.kind = OBV_KIND_object;
            one.offset = static_cast<uint32_t>(offsetof(root, members) +
                                               i * sizeof(obv_object *));
            one.size = sizeof(obv_object *);
        }
        return properties;
    }

    static obv_class *root_class()
    {
        static const std::vector<obv_property> properties = make_properties();
        static obv_class_table table{};
        static obv_class *const made = [] {
            table.size = sizeof table;
            table.name = "star";
            table.instance_size = sizeof(root);
            table.properties = properties.data();
            table.property_count = width;
            obv_class *cls = nullptr;
            BENCH_REQUIRE(obv_class_create(nullptr, &table, &cls, nullptr));
            return cls;
        }();
        return made;
    }

    std::vector<user> users_;
    std::vector<root> roots_;
    obv_loop *loop_ = nullptr;
    obv_observation *handle_ = nullptr;
};

} // namespace bench

#endif
