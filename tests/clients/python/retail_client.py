"""The retail suite through the official Python MCP client, over stdio.

    retail_client.py RETAIL_BINARY TAU_RETAIL_DIR

Checks the list of tools against the benchmark's own schemas, replays every recorded task through `tools/call` against a
server of its own, and checks what a client sees of a call that cannot be made. Ends with `N passed, N failed`.
"""

import json
import sys
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters

INVALID_PARAMS = -32602
READ_ONLY = {
    "calculate",
    "find_user_id_by_email",
    "find_user_id_by_name_zip",
    "get_order_details",
    "get_product_details",
    "get_user_details",
    "list_all_product_types",
    "think",
}


class Report:
    """Counts checks and prints the ones that failed."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, holds, what, *details):
        if holds:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {what}")
        for detail in details:
            print(f"    {detail}")


def server(binary, data, mode="auto"):
    return Client(StdioServerParameters(command=str(binary), args=["serve", "--data", str(data)]), mode=mode)


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


def same(observed, recorded):
    """Equal as JSON where both are JSON, else as text."""
    try:
        return json.loads(observed) == json.loads(recorded)
    except ValueError:
        return observed == recorded


def json_type(schema):
    """What a schema takes, as far as the benchmark's own schemas say it."""
    kind = schema.get("type")
    return (kind, json_type(schema["items"])) if kind == "array" else (kind, tuple(schema.get("enum", ())))


async def check_list(report, client, tau):
    offered = {tool.name: tool for tool in (await client.list_tools()).tools}
    expected = {entry["function"]["name"]: entry["function"] for entry in json.loads((tau / "tools.json").read_text())}
    report.check(set(offered) == set(expected), "the 16 tools are offered", sorted(offered), sorted(expected))
    for name, function in expected.items():
        tool = offered.get(name)
        if tool is None:
            continue
        ours, theirs = tool.input_schema, function["parameters"]
        types = lambda schema: {key: json_type(value) for key, value in schema.get("properties", {}).items()}
        report.check(types(ours) == types(theirs), f"{name}: properties and types", types(ours), types(theirs))
        required = lambda schema: sorted(schema.get("required", []))
        report.check(required(ours) == required(theirs), f"{name}: required", required(ours), required(theirs))
        report.check(ours.get("type") == "object", f"{name}: an object root", ours)
        described = all(value.get("description") for value in ours.get("properties", {}).values())
        report.check(bool(tool.description) and described, f"{name}: everything is described", tool)
        report.check(tool.annotations is not None, f"{name}: has annotations")
    reads = {tool.name for tool in offered.values() if tool.annotations and tool.annotations.read_only_hint}
    report.check(reads == READ_ONLY, "the tools that only read say so", sorted(reads))


async def check_r1(report, client):
    """R1: a missing field is a result that the model sees; an unknown tool is an error of the protocol."""
    missing = await client.call_tool("get_order_details", {})
    report.check(missing.is_error is True and "order_id" in text(missing), "R1: the missing field is named", text(missing))
    try:
        answer = await client.call_tool("no_such_tool", {})
        report.check(False, "R1: an unknown tool is an error", answer)
    except MCPError as error:
        report.check(error.error.code == INVALID_PARAMS, "R1: the error is -32602", error.error)
    alive = await client.call_tool("calculate", {"expression": "1 + 2"})
    report.check(text(alive) == "3.0" and not alive.is_error, "R1: the connection lives on", text(alive))


async def replay(report, binary, tau, task, initial):
    """One task against a server of its own."""
    where = f"task {task['task']}"
    async with server(binary, tau / "data") as client:
        for number, step in enumerate(task["steps"]):
            result = await client.call_tool(step["tool"], step["arguments"])
            said = text(result)
            refused = step["observation"].startswith("Error: ")
            report.check(
                same(said, step["observation"]) and bool(result.is_error) == refused,
                f"{where}, step {number}: {step['tool']}",
                f"expected {step['observation']}",
                f"got      {said}",
            )
        await check_records(report, client, where, task, initial)


async def check_records(report, client, where, task, initial):
    """Every changed record is as recorded, and every other one that the task names is as it was."""
    changed = task["changed"]
    named = json.dumps(task["steps"])
    for kind, tool, key in [("orders", "get_order_details", "order_id"), ("users", "get_user_details", "user_id")]:
        expected = {record: initial[kind][record] for record in initial[kind] if f'"{record}"' in named}
        expected.update(changed.get(kind, {}))
        for record, content in expected.items():
            found = json.loads(text(await client.call_tool(tool, {key: record})))
            report.check(found == content, f"{where}: {kind} {record} afterwards", f"expected {content}", f"got      {found}")


async def main(binary, tau):
    report = Report()
    initial = {kind: json.loads((tau / "data" / f"{kind}.json").read_text()) for kind in ("orders", "users")}
    for mode in ("auto", "legacy"):  # this year's protocol, and the one before it
        async with server(binary, tau / "data", mode) as client:
            await check_list(report, client, tau)
            await check_r1(report, client)
    tasks = 0
    for file in sorted(tau.glob("tasks-*.jsonl")):
        for line in file.read_text().splitlines():
            await replay(report, binary, tau, json.loads(line), initial)
            tasks += 1
    report.check(tasks > 0, "there are tasks to replay")
    print(f"python client: {tasks} tasks replayed over MCP")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(anyio.run(main, Path(sys.argv[1]), Path(sys.argv[2])))
