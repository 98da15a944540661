#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two servers and two workers over one store: the ten lines of docs/server.md, and a hundred
clients that answer one approval."""
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import ASKER, HAFT, QUICK, SENDER, Server, write_files  # noqa: E402
from script import check, wait_for  # noqa: E402
from store_urls import stores  # noqa: E402

ROOT = Path(os.environ.get("HAFT_SOURCE_ROOT", Path(__file__).resolve().parents[2]))


class Workers:
    def __init__(self, directory, url, count=2):
        self.all = [subprocess.Popen([HAFT, "worker", "--store", url, "--poll", "50", "--quiet"],
                                     cwd=directory, stderr=subprocess.DEVNULL)
                    for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.all:
            worker.terminate()
        for worker in self.all:
            worker.wait(timeout=300)


def answer(server, run, binding, number, statuses):
    """One of the clients: a third approve, a third edit, a third reject, with their own words."""
    kinds = [{"command": "approve"}, {"command": "edit", "value": {"to": f"person {number}"}},
             {"command": "reject", "why": f"reason {number}"}]
    statuses[number] = (number % 3, server.post(
        f"/api/v1/runs/{run}/commands",
        {**kinds[number % 3], "call": "c1.1", "binding": binding}).status)


def test_hundred(directory, name, servers):
    (directory / "sent.txt").unlink(missing_ok=True)
    run = servers[0].start("sender")["run"]
    binding = servers[1].wait(run)["pending"][0]["binding"]
    statuses = [None] * 100
    clients = [threading.Thread(target=answer, args=(servers[n % 2], run, binding, n, statuses))
               for n in range(100)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    done = servers[0].wait(run)
    events = servers[1].events(run)
    answers = [event for event in events if event["kind"] == "answered"]
    accepted = [kind for kind, status in statuses if status == 200]
    check(f"{name}_one_answer_is_accepted", len(answers), 1)
    check(f"{name}_every_client_learns_the_outcome", {status for _, status in statuses},
          {200, 409} if accepted else {409})
    # Equal commands have the same result; those of edit and reject all differ.
    check(f"{name}_only_equal_answers_succeed", len(set(accepted)) == 1
          and (accepted[0] == 0 or len(accepted) == 1))
    ran = (directory / "sent.txt").exists()
    check(f"{name}_the_call_ran_at_most_once",
          (directory / "sent.txt").read_text().count("{") if ran else 0,
          0 if accepted[0] == 2 else 1)
    check(f"{name}_the_run_ends", done["end"], "done")


def test_ten_lines(directory, name, servers):
    """The lines of the guide, as a shell runs them; each at the other server."""
    text = (ROOT / "docs/server.md").read_text()
    block = re.search(r"```sh\n(H=.*?)```", text, re.DOTALL)[1]
    lines = [re.sub(r"\s+# \d+\..*$", "", line) for line in block.splitlines()]
    setup, lines = lines[0], lines[1:]
    check(f"{name}_the_guide_has_ten_lines", len(lines), 10)
    run = servers[0].start("asker")["run"]
    servers[1].wait(run)
    sender = servers[0].start("sender")["run"]
    servers[0].wait(sender)
    problems = []
    for number, line in enumerate(lines):
        server = servers[number % 2]
        target = sender if "approve" in line or "cancel" in line else run
        line = line.replace("ID", target).replace("c2.1", "c1.1").replace("report.md",
                                                                           "notes/answer.txt")
        line = line.replace('"report"', '"asker"')
        if "events" in line:
            line += " --max-time 2"
        if "artifacts" in line:
            servers[0].wait(run)
        script = setup.replace("http://127.0.0.1:8642", server.url) + "\n" + line + " -s -S"
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
        timed_out = "events" in line and done.returncode == 28
        wrong = '"title"' in done.stdout and "cancel" not in line
        if (done.returncode != 0 and not timed_out) or wrong or not done.stdout:
            problems.append(f"{line}: {done.returncode} {done.stdout[:300]} {done.stderr}")
    check(f"{name}_the_ten_lines_work", problems, [])


def test_keys(name, servers):
    """One request at two servers at the same moment."""
    found = [None] * 10
    body = {"agent": "quick", "task": "once"}

    def create(number):
        found[number] = servers[number % 2].post("/api/v1/runs", body,
                                                 headers={"Idempotency-Key": f"{name}-both"})
    clients = [threading.Thread(target=create, args=(n,)) for n in range(10)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    runs = {reply.json["run"] for reply in found if reply.status in (200, 201)}
    check(f"{name}_a_key_makes_one_run", len(runs), 1)
    check(f"{name}_others_are_asked_to_wait",
          {reply.status for reply in found} <= {200, 201, 409})
    listed = servers[0].get("/api/v1/runs?agent=quick").json["runs"]
    check(f"{name}_the_list_has_it_once", len(listed), 1)


def main():
    with tempfile.TemporaryDirectory(prefix="haft-many-") as scratch:
        directory = Path(scratch)
        specs = ("asker.json", "sender.json", "quick.json")
        write_files(directory, ASKER, SENDER, QUICK)
        for name, new in stores(scratch):
            url = new()
            with Server(directory, *specs, store=url, options=["--no-work"]) as one, \
                    Server(directory, *specs, store=url, options=["--no-work"]) as two, \
                    Workers(directory, url):
                check(f"{name}_both_are_ready", wait_for(
                    lambda: one.get("/ready").status == two.get("/ready").status == 200))
                test_keys(name, (one, two))
                test_ten_lines(directory, name, (one, two))
                test_hundred(directory, name, (one, two))


main()
