#!/usr/bin/env node
// Runs the binary of this platform's package, with the same terminal, arguments, signals and exit code.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `toolcrib-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "toolcrib.exe" : "toolcrib";

let binary;
try {
  binary = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `toolcrib: the package ${name} isn't installed. Install without --omit=optional, ` +
      "or build toolcrib with cargo on a platform that has no package.",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
const passed = ["SIGINT", "SIGTERM", "SIGHUP"];
// The terminal sends SIGINT to the child too; to end is the child's decision.
for (const signal of passed) {
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("error", (error) => {
  console.error(`toolcrib: couldn't start ${binary}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
