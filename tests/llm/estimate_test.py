# SPDX-License-Identifier: Apache-2.0
"""The estimate of the tokens of requests against the usage that the model reports, for several
kinds of text (docs/context.md): before the first report, and corrected by the reports before."""
import json
import tempfile
from pathlib import Path

import llm

ROOT = llm.HERE.parent.parent
TURNS = 4
GERMAN = (
    "Am frühen Morgen verließ die Geschäftsführerin das Bürogebäude und ging zu Fuß zum Bahnhof, "
    "obwohl es seit Stunden regnete. Die Vertragsunterlagen lagen in einer wasserdichten Tasche, "
    "denn die Verhandlungen über die Zusammenarbeit sollten noch vor dem Wochenende abgeschlossen "
    "werden. Unterwegs überlegte sie, welche Bedingungen unverzichtbar waren und bei welchen sie "
    "nachgeben könnte. Der Zug hatte Verspätung, und auf dem Bahnsteig drängten sich Schülerinnen, "
    "Pendler und Reisende mit schweren Koffern. Ein Straßenmusiker spielte trotz der Kälte auf "
    "seiner Geige, während ein Händler heiße Getränke verkaufte. ")
CHINESE = (
    "清晨，经理离开办公楼，步行前往火车站，尽管雨已经下了好几"
    "个小时。合同文件放在防水的包里，因为关于合作的谈判必须在"
    "周末之前结束。一路上她在考虑，哪些条件是不可放弃的，哪些"
    "可以让步。火车晚点了，站台上挤满了学生、上班族和带着沉重"
    "行李的旅客。一位街头音乐家不顾寒冷拉着小提琴，旁边的小贩"
    "在卖热饮。她买了一杯茶，打开笔记本电脑，重新核对了价格、"
    "交货日期和付款方式，然后给同事发了一封简短的邮件。")


def files(pattern):
    return "\n".join(path.read_text() for path in sorted(ROOT.glob(pattern)))


# Text, and the characters of each part of it, so that all parts fit the context.
KINDS = {
    "English": (files("docs/guarantees.md") + files("docs/threads.md"), 1800),
    "C": (files("src/prompt/*.c"), 1800),
    "JSON": (files("docs/schemas/event.schema.json"), 1800),
    "German": (GERMAN * 20, 1800),
    "Chinese": (CHINESE * 20, 600),
}
# The maximum errors in percent: of the estimate alone, and corrected.
ALONE = 60
CORRECTED = 10


def spec(folder):
    return {"haft": 1, "name": "estimate", "formats": {"primary": "purejson"},
            "model": {"provider": "llamacpp", "model": "smollm2", "base_url": f"{llm.URL}/v1",
                      "native_tools": False, "options": {"temperature": 0, "max_tokens": 60}},
            "context": {"tokens": 8192, "reserve": 64, "clear": False, "summarise": False},
            "limits": {"turns": TURNS, "observation_chars": 8000},
            "tools": [{"name": "next", "description": "Returns the next part.",
                       "input_schema": {
                           "type": "object", "properties": {"part": {"enum": [1, 2, 3]}},
                                 "required": ["part"], "additionalProperties": False},
                       "command": ["cat", f"{folder}/{{part}}"]}],
            "choice": {"schedule": ["any"] * (TURNS - 1) + ["none"]}}


def measure(kind, text, chars):
    """(estimate, reported) of each request"""
    with tempfile.TemporaryDirectory() as folder:
        for part in range(1, TURNS):
            Path(folder, str(part)).write_text(text[part * chars:(part + 1) * chars])
        Path(folder, "spec.json").write_text(json.dumps(spec(folder)))
        status, output, errors = llm.haft("run", f"{folder}/spec.json", text[:chars], "--events",
                                          "--no-config", "--store", "memory:")
    log = [json.loads(line) for line in output.splitlines()]
    replies = [event for event in log if event["kind"] == "model_replied"]
    llm.check(f"the_requests_with_{kind}_are_answered",
              [] if len(replies) >= TURNS else [f"{len(replies)} replies: {status} {errors}"])
    return [(e["context"]["estimated"], e["usage"]["input_tokens"]) for e in replies]


def errors_of(pairs):
    """Errors in percent of each request: (alone, corrected). The estimate alone is computed from
    the corrected one and the report before."""
    found, factor = [], 1
    for estimated, reported in pairs:
        alone = estimated / factor
        found.append((100 * (alone - reported) / reported, 100 * (estimated - reported) / reported))
        factor = reported / alone
    return found


def main():
    print("# | text | tokens | first request | last request, alone | last request, corrected |")
    for kind, (text, chars) in KINDS.items():
        pairs = measure(kind, text, chars)
        if not pairs:
            continue
        errors = errors_of(pairs)
        llm.note(f"| {kind} | {pairs[-1][1]} | {errors[0][0]:+.0f} % | {errors[-1][0]:+.0f} % | "
                 f"{errors[-1][1]:+.1f} % |")
        llm.check(f"the_estimate_of_{kind}_is_near",
                  [f"{error:+.0f} %" for error, _ in errors if abs(error) > ALONE])
        llm.check(f"the_corrected_estimate_of_{kind}_is_nearer",
                  [f"{error:+.1f} %" for _, error in errors[2:] if abs(error) > CORRECTED])


main()
