// SPDX-License-Identifier: Apache-2.0
// cpp20.cpp - haft from C++20: RAII owners, text as std::string_view, errors as exceptions,
// and lambdas as tools.
// Build it: c++ -std=c++20 cpp20.cpp $(pkg-config --cflags --libs haft)
// Run it:   ./a.out cpp20.yaml
#include <haft.h>

#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace
{

// ---- errors ----

struct error : std::runtime_error {
    explicit error(const haft_error &err)
        : std::runtime_error(std::string(err.where) + ": " + err.message), status(err.status)
    {
    }
    haft_status status;
};

// Calls a function that takes a haft_error last, and throws when it fails.
template <typename Function, typename... Args> void check(Function function, Args... args)
{
    haft_error err{};
    if (function(args..., &err) != HAFT_OK) {
        throw error(err);
    }
}

std::string_view view(haft_str text)
{
    return text.len > 0 ? std::string_view(text.ptr, text.len) : std::string_view();
}

// ---- tools ----

// Makes a tool of any callable from the arguments as JSON text to the reply. It must not move while
// the runtime exists, because haft keeps its address.
class tool
{
  public:
    using function = std::function<std::string(std::string_view arguments)>;

    tool(const char *name, const char *description, const char *input_schema, function body)
        : body_(std::move(body))
    {
        it_.name = name;
        it_.description = description;
        it_.input_schema = input_schema;
        it_.run = run;
        it_.context = this;
        it_.lane = name; // calls never overlap, so that the callable needs no lock
    }
    tool(const tool &) = delete;
    tool &operator=(const tool &) = delete;

    const haft_tool *get() const
    {
        return &it_;
    }

  private:
    // No exception may pass through C: it becomes an error that the model reads.
    static haft_reply run(haft_call *call, const void *args)
    {
        const tool *self = static_cast<const tool *>(haft_call_info(call)->context);
        try {
            std::string reply = self->body_(view(*static_cast<const haft_str *>(args)));
            return haft_replyf(call, "%s", reply.c_str());
        } catch (const std::exception &wrong) {
            return haft_reply_error(call, "%s", wrong.what());
        }
    }

    haft_tool it_ = HAFT_TOOL_INIT;
    function body_;
};

// ---- owners ----

template <auto release> struct deleter {
    template <typename T> void operator()(T *it) const
    {
        release(it);
    }
};

using agent_owner = std::unique_ptr<haft_agent, deleter<haft_agent_release>>;
using run_owner = std::unique_ptr<haft_run, deleter<haft_run_release>>;
using runtime_owner = std::unique_ptr<haft_runtime, deleter<haft_runtime_destroy>>;

class runtime
{
  public:
    runtime()
    {
        haft_runtime *made = nullptr;
        check(haft_runtime_create, nullptr, &made);
        it_.reset(made);
    }

    void add(const tool &added)
    {
        check(haft_tool_add, it_.get(), added.get());
    }

    agent_owner load(const std::string &path)
    {
        haft_agent *made = nullptr;
        check(haft_agent_load, it_.get(), path.c_str(), &made);
        return agent_owner(made);
    }

    // Steps until the run ends or waits, and calls `seen` for each event.
    run_owner run(const agent_owner &agent, const std::string &task,
                  const std::function<void(std::string_view)> &seen)
    {
        haft_run *made = nullptr;
        check(haft_run_start, agent.get(), task.c_str(), nullptr, &made);
        run_owner run(made);
        haft_event event{};
        while (haft_run_state(made) == HAFT_RUNNING) {
            check(haft_runtime_step, it_.get(), -1);
            while (haft_run_next_event(made, &event)) {
                seen(view(event.json));
            }
        }
        return run;
    }

  private:
    runtime_owner it_;
};

// ---- the program ----

int work(const std::string &spec)
{
    std::vector<std::string> heard; // what the lambdas below share with the program
    tool count("count", "Count words.",
               R"({"type":"object","properties":{"words":{"type":"array"}},"required":["words"]})",
               [&heard](std::string_view arguments) {
                   heard.emplace_back(arguments);
                   return std::to_string(heard.size()) + " call so far";
               });
    tool fail("fail", "Always fails.", R"({"type":"object"})",
              [](std::string_view) -> std::string { throw std::runtime_error("it was a trap"); });

    runtime host; // after the tools, so that it is destroyed before them
    host.add(count);
    host.add(fail);
    agent_owner agent = host.load(spec);
    std::size_t finished = 0;
    run_owner run = host.run(agent, "Count the words.", [&finished](std::string_view event) {
        finished += event.find(R"("kind":"call_finished")") != event.npos ? 1U : 0U;
    });
    std::cout << finished << " calls; count got " << heard.at(0) << "\n"
              << haft_run_end(run.get()) << ": " << view(haft_run_answer_text(run.get())) << "\n";
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        return work(argc > 1 ? argv[1] : "cpp20.yaml");
    } catch (const std::exception &wrong) {
        std::cerr << wrong.what() << "\n";
        return 1;
    }
}
