// Validates the files of the extension and drives the server as the client does. `LARIAT=path node test.js`
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { spawn } = require("node:child_process");

const json = (name) => JSON.parse(fs.readFileSync(path.join(__dirname, name), "utf8"));
const manifest = json("package.json");
assert.ok(fs.existsSync(path.join(__dirname, manifest.main)));
new Function("require", "exports", fs.readFileSync(path.join(__dirname, manifest.main), "utf8"));
for (const language of manifest.contributes.languages) json(language.configuration);
for (const grammar of manifest.contributes.grammars) {
  const { scopeName, patterns, repository } = json(grammar.path);
  assert.strictEqual(scopeName, grammar.scopeName);
  for (const { include } of patterns) assert.ok(repository[include.slice(1)], include);
  const check = (rule) => {
    for (const key of ["match", "begin", "end"]) if (rule[key]) new RegExp(rule[key]);
    (rule.patterns || []).forEach(check);
  };
  Object.values(repository).forEach(check);
}

const server = spawn(process.env.LARIAT || "lariat", ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
let buffer = Buffer.alloc(0);
const waiting = new Map();
const heard = [];
server.stdout.on("data", (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, end))[1]);
    if (end < 0 || buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length));
    buffer = buffer.subarray(end + 4 + length);
    if (message.id !== undefined && !message.method) waiting.get(message.id)(message);
    else heard.push(message);
  }
});
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
let number = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(++number, resolve);
    send({ id: number, method, params });
  });

(async () => {
  const { result } = await ask("initialize", { processId: null, rootUri: null, capabilities: {} });
  assert.ok(result.capabilities.codeLensProvider && result.capabilities.renameProvider);
  send({ method: "initialized", params: {} });
  const uri = "file:///unsaved/model.pml";
  const text = "byte x;\nactive proctype P() { x = 1 }\nltl small { [] (x < 2) }\n";
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "promela", version: 1, text } } });
  const hover = await ask("textDocument/hover", { textDocument: { uri }, position: { line: 1, character: 22 } });
  assert.match(hover.result.contents.value, /byte x/);
  const lenses = (await ask("textDocument/codeLens", { textDocument: { uri } })).result;
  const { command } = lenses.find((lens) => lens.command.title === "Check small");
  const checked = await ask("workspace/executeCommand", { command: command.command, arguments: command.arguments });
  assert.strictEqual(checked.result.answers[0].outcome, "passed");
  assert.ok(heard.some((message) => message.method === "textDocument/publishDiagnostics"));
  await ask("shutdown", null);
  send({ method: "exit" });
  server.on("exit", (code) => {
    assert.strictEqual(code, 0);
    console.log("the extension and its server are in order");
  });
})();
