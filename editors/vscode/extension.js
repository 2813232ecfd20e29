// The client of `lariat lsp`. The server does the work; this starts it and shows the traces of checks.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("lariat");
  const server = { command: settings.get("path"), args: ["lsp"] };
  const output = vscode.window.createOutputChannel("Lariat");
  client = new LanguageClient("lariat", "Lariat", server, {
    documentSelector: [{ language: "promela" }, { language: "smv" }],
    outputChannel: output,
    initializationOptions: {
      checkSeconds: settings.get("checkSeconds"),
      checkMegabytes: settings.get("checkMegabytes"),
    },
    middleware: {
      // The result of a check is shown with its trace.
      executeCommand: async (command, args, next) => {
        const result = await next(command, args);
        for (const answer of (result && result.answers) || []) {
          output.appendLine(answer.text);
          if (answer.outcome !== "passed") {
            output.show(true);
          }
        }
        return result;
      },
    },
  });
  return client.start();
}

exports.activate = start;
exports.deactivate = () => client && client.stop();
