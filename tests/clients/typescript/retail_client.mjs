// The retail suite through the official TypeScript MCP clients, over stdio.
//
//     node retail_client.mjs RETAIL_BINARY TAU_RETAIL_DIR
//
// Both packages are used: `client`, of this year's protocol, and `sdk`, which most programs still have. Each checks the list
// of tools and what a client sees of a call that cannot be made, and replays every recorded task against a server of its
// own. Both hold a result's structured content against the tool's output schema, and refuse the result if it does not fit.
// Ends with `N passed, N failed`.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import * as current from "@modelcontextprotocol/client";
import { StdioClientTransport as CurrentTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const PACKAGES = [
  { name: "client", Client: current.Client, Transport: CurrentTransport },
  { name: "sdk", Client: FormerClient, Transport: FormerTransport },
];
const INVALID_PARAMS = -32602;
const READ_ONLY = [
  "calculate",
  "find_user_id_by_email",
  "find_user_id_by_name_zip",
  "get_order_details",
  "get_product_details",
  "get_user_details",
  "list_all_product_types",
  "think",
];

const [binary, tau] = process.argv.slice(2);
const report = { passed: 0, failed: 0 };

function check(holds, what, ...details) {
  if (holds) {
    report.passed += 1;
    return;
  }
  report.failed += 1;
  console.log(`FAILED: ${what}`);
  for (const detail of details) console.log("   ", detail);
}

/** Runs `body` with a client of a server of its own. */
async function connected({ Client, Transport }, body) {
  const client = new Client({ name: "retail-check", version: "1.0.0" });
  const args = ["serve", "--data", join(tau, "data")];
  await client.connect(new Transport({ command: binary, args, stderr: "ignore" }));
  try {
    await body(client);
  } finally {
    await client.close();
  }
}

const text = (result) => result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
const call = (client, name, args) => client.callTool({ name, arguments: args });
const json = (file) => JSON.parse(readFileSync(join(tau, file), "utf8"));
const lines = (file) => readFileSync(join(tau, file), "utf8").split("\n").filter(Boolean).map(JSON.parse);

/** Equal as JSON where both are JSON, else as text. */
function same(observed, recorded) {
  try {
    return isDeepStrictEqual(JSON.parse(observed), JSON.parse(recorded));
  } catch {
    return observed === recorded;
  }
}

async function checkList(name, client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name).sort();
  const expected = json("tools.json").map((entry) => entry.function.name).sort();
  check(isDeepStrictEqual(names, expected), `${name}: the 16 tools are offered`, names, expected);
  const reads = tools.filter((tool) => tool.annotations?.readOnlyHint).map((tool) => tool.name).sort();
  check(isDeepStrictEqual(reads, READ_ONLY), `${name}: the tools that only read say so`, reads);
  for (const tool of tools) {
    check(tool.inputSchema.type === "object", `${name}: ${tool.name} has an object root`, tool.inputSchema);
    const described = Object.values(tool.inputSchema.properties ?? {}).every((property) => property.description);
    check(Boolean(tool.description) && described, `${name}: everything of ${tool.name} is described`, tool);
  }
}

/** R1: a missing field is a result that the model sees; an unknown tool is an error of the protocol. */
async function checkR1(name, client) {
  const missing = await call(client, "get_order_details", {});
  check(missing.isError === true && text(missing).includes("order_id"), `${name}: the missing field is named`, missing);
  const unknown = await call(client, "no_such_tool", {}).then(
    (answer) => ({ answer }),
    (error) => ({ error }),
  );
  check(unknown.error?.code === INVALID_PARAMS, `${name}: an unknown tool is the error -32602`, unknown);
  const alive = await call(client, "calculate", { expression: "1 + 2" });
  check(text(alive) === "3.0" && !alive.isError, `${name}: the connection lives on`, alive);
}

async function replay(name, client, task) {
  for (const [number, step] of task.steps.entries()) {
    const result = await call(client, step.tool, step.arguments);
    const refused = step.observation.startsWith("Error: ");
    check(
      same(text(result), step.observation) && Boolean(result.isError) === refused,
      `${name}: task ${task.task}, step ${number}: ${step.tool}`,
      `expected ${step.observation}`,
      `got      ${text(result)}`,
    );
  }
}

const files = readdirSync(tau).filter((file) => /^tasks-.*\.jsonl$/.test(file)).sort();
const tasks = files.flatMap(lines);
check(tasks.length > 0, "there are tasks to replay");
for (const kind of PACKAGES) {
  await connected(kind, async (client) => {
    await checkList(kind.name, client);
    await checkR1(kind.name, client);
  });
  for (const task of tasks) await connected(kind, (client) => replay(kind.name, client, task));
}
console.log(`typescript clients: ${tasks.length} tasks replayed over MCP by each of ${PACKAGES.length}`);
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exitCode = report.failed ? 1 : 0;
