// An MCP server whose tools are the definitions in the file named by its first
// argument, read anew for each listing. A call returns its arguments as text, or
// the result that its argument "result" holds as JSON.
// Each start and each listing appends a line to the file named by the second argument.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [definitions, starts] = process.argv.slice(2);

const note = (word) => starts && appendFileSync(starts, word + "\n");
note("start");

const results = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "listed", version: "1" } }),
  "tools/list": () => (note("list"), { tools: JSON.parse(readFileSync(definitions, "utf8")) }),
  "tools/call": ({ name, arguments: args }) => 
    args?.result ? JSON.parse(args.result) : { content: [{ type: "text", text: name + " " + JSON.stringify(args) }] },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method];
  const answer = result ? { result: result(params) } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n");
}
