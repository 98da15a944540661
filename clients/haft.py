# SPDX-License-Identifier: Apache-2.0
"""A client of `haft serve` that needs only Python's standard library: runs, their events as an
iterator that resumes by itself, commands, and headless tools.

    haft = Haft("http://127.0.0.1:8642")
    run = haft.start("report", "Where are leases renewed?")
    for event in haft.events(run["run"]):
        print(event["kind"])

Methods return the server's JSON as dictionaries and raise HaftError. An object may be used from
several threads."""
import http.client
import json
import threading
import time
import urllib.parse
import uuid

RETRY_SECONDS = (0.1, 0.25, 0.5, 1, 2, 4)  # between attempts; the last one repeats
# A stream is silent for 15 s at most; after this time it is dead.
IDLE_SECONDS = 45


class HaftError(Exception):
    """An error that the server reported, or a connection that failed (status 0)."""

    def __init__(self, status, problem):
        found = problem.get("error")
        problem = {**problem, **found} if isinstance(found, dict) else problem
        super().__init__(problem.get("message") or problem.get("detail") or problem.get("title")
                         or f"HTTP {status}")
        self.status = status
        self.where = problem.get("where") or ""
        self.hint = problem.get("hint") or ""
        self.problem = problem


def _problem(status, body):
    text = body.decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:  # a proxy answered
        problem = {"detail": text[:500]}
    return HaftError(status, problem if isinstance(problem, dict) else {"detail": text[:500]})


def _messages(response):
    """The messages of an event stream: (name, data). Comments are (None, None)."""
    name, data = "message", []
    for line in response:
        line = line.decode("utf-8").rstrip("\r\n")
        if not line:
            if data:
                yield name, "\n".join(data)
            name, data = "message", []
        elif line.startswith(":"):
            yield None, None
        else:
            key, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if key == "data":
                data.append(value)
            elif key == "event":
                name = value


class Haft:
    """A server. `url` is http://HOST:PORT or https://HOST:PORT; `token` is sent as a bearer."""

    def __init__(self, url="http://127.0.0.1:8642", token=None, timeout=60):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected a URL such as http://127.0.0.1:8642, found {url!r}")
        self._connect = (http.client.HTTPSConnection if parts.scheme == "https"
                         else http.client.HTTPConnection)
        self._host, self._base = parts.netloc.rpartition("@")[2], parts.path.rstrip("/")
        self._token, self._timeout, self._tools = token, timeout, {}

    # ---- requests ----

    def _open(self, method, path, body=None, query=None, headers=None, timeout=None):
        """Returns (connection, response) of a request that succeeded."""
        wanted = {key: value for key, value in (query or {}).items() if value is not None}
        target = f"{self._base}/api/v1{path}"
        target += "?" + urllib.parse.urlencode(wanted) if wanted else ""
        all_headers = {"Accept": "application/json", **(headers or {})}
        if self._token:
            all_headers["Authorization"] = f"Bearer {self._token}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            all_headers["Content-Type"] = "application/json"
        connection = self._connect(self._host, timeout=timeout or self._timeout)
        try:
            connection.request(method, target, data, all_headers)
            response = connection.getresponse()
            if response.status >= 300:
                raise _problem(response.status, response.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise HaftError(0, {"message": f"the server cannot be reached: {error}"}) from error
        except BaseException:
            connection.close()
            raise
        return connection, response

    def request(self, method, path, body=None, query=None, headers=None):
        """One request. Returns the JSON of the response, or its bytes."""
        connection, response = self._open(method, path, body, query, headers)
        try:
            found = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise HaftError(0, {"message": f"the response is not complete: {error}"}) from error
        finally:
            connection.close()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return json.loads(found) if is_json and found else found

    # ---- runs ----

    def start(self, agent, task=None, key=None, **more):
        """Starts a run: `input`, `thread`, `user`, `model` and `limits` are optional. The same
        key twice is one run; a run of a thread that exists has no key."""
        body = {"agent": agent, **({} if task is None else {"task": task}), **more}
        key = key or (None if "thread" in more else str(uuid.uuid4()))
        return self.request("POST", "/runs", body, headers={"Idempotency-Key": key} if key else {})

    def run(self, run):
        return self.request("GET", f"/runs/{run}")

    def runs(self, **query):
        """A page of runs, the newest first; `next` of the result is `before` of the next page."""
        return self.request("GET", "/runs", query=query)

    def pending(self, **query):
        return self.request("GET", "/pending", query=query)

    def agents(self):
        return self.request("GET", "/agents")["agents"]

    def artifact(self, run, name):
        """The bytes of an artifact."""
        path = f"/runs/{run}/artifacts/{urllib.parse.quote(name)}"
        connection, response = self._open("GET", path, headers={"Accept": "*/*"})
        try:
            return response.read()
        finally:
            connection.close()

    # ---- commands ----

    def command(self, run, command, key=None, **more):
        """A command: answer, approve, reject, edit, again, fail, cancel or resume, with `call`,
        `value`, `binding` and `why` as it needs. The same key twice is one command."""
        body = {"command": command, **{k: v for k, v in more.items() if v is not None}}
        return self.request("POST", f"/runs/{run}/commands", body, headers={
            "Idempotency-Key": key or str(uuid.uuid4())})

    def answer(self, run, call, value):
        body = {"command": "answer", "call": call, "value": value}  # None is an answer
        return self.request("POST", f"/runs/{run}/commands", body, headers={
            "Idempotency-Key": str(uuid.uuid4())})

    def approve(self, run, call, binding=None):
        return self.command(run, "approve", call=call, binding=binding)

    def reject(self, run, call, why=None):
        return self.command(run, "reject", call=call, why=why)

    def cancel(self, run, why=None):
        return self.command(run, "cancel", why=why)

    def resume(self, run):
        return self.command(run, "resume")

    def fork(self, run, **at):
        return self.request("POST", f"/runs/{run}/fork", at)

    # ---- events ----

    def events(self, run, since=0, stop=None):
        """The events of a run, each once and in order, until it has ended; progress events have no
        `seq`. If the connection breaks, the stream is opened again where it stopped. `stop` is a
        threading.Event that ends it at the next event or beat of the server."""
        failures = 0
        while stop is None or not stop.is_set():
            try:
                for event in self._stream(run, since):
                    if event is None or (stop is not None and stop.is_set()):
                        if stop is not None and stop.is_set():
                            return
                        continue
                    failures = 0
                    if "seq" not in event:
                        yield event
                    elif event["seq"] > since:
                        since = event["seq"]
                        yield event
                        if event["kind"] == "run_finished":
                            return
            except HaftError as error:
                if 400 <= error.status < 500 and error.status not in (408, 429):
                    raise
            except (OSError, http.client.HTTPException, ValueError):
                pass  # the connection broke, perhaps inside a line
            time.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
            failures += 1

    def _stream(self, run, since):
        """The events of one connection; None for a beat."""
        connection, response = self._open(
            "GET", f"/runs/{run}/events", query={"since": since}, timeout=IDLE_SECONDS,
            headers={"Accept": "text/event-stream", "Last-Event-ID": str(since)})
        try:
            for name, data in _messages(response):
                if name is None:
                    yield None
                elif name != "end":
                    yield json.loads(data)
        finally:
            connection.close()

    def wait(self, run):
        """Waits until a run has ended or waits for somebody; returns it."""
        while True:
            found = self.request("GET", f"/runs/{run}/wait", query={"timeout": 30})
            if found["end"] not in ("running", "queued"):
                return found

    # ---- headless tools ----

    def on_tool(self, name, execute=None):
        """Registers a function for a headless tool, called with the arguments as keywords; also a
        decorator. `serve` answers its calls."""
        if execute is None:
            return lambda function: self.on_tool(name, function) or function
        self._tools[name] = execute
        return None

    def serve(self, run, stop=None):
        """Follows a run and answers its headless calls until it has ended: yields its events. Each
        call has a thread of its own. What a function raises is the error of the call."""
        answered = set()
        for event in self.events(run, stop=stop):
            yield event
            if event["kind"] in ("answered", "call_finished"):
                answered.add(event["call"])
            elif (event["kind"] == "paused" and event["pause"] == "headless"
                  and event["tool"] in self._tools):
                # Later: the events that are already here may have its answer.
                timer = threading.Timer(0.05, self._execute, (run, event, answered))
                timer.daemon = True
                timer.start()

    def _execute(self, run, event, answered):
        if event["call"] in answered:
            return
        key = f"{run}:{event['call']}"
        try:
            body = {"command": "answer", "call": event["call"],
                    "value": self._tools[event["tool"]](**(event["arguments"] or {}))}
            json.dumps(body)
        except Exception as error:  # pylint: disable=broad-except
            body = {"command": "fail", "call": event["call"], "why": str(error) or repr(error)}
        try:
            self.request("POST", f"/runs/{run}/commands", body, headers={"Idempotency-Key": key})
        except HaftError as error:
            if error.status != 409:  # another client has answered: that is no error
                raise
