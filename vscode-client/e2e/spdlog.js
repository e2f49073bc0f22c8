// Writes VS Code's log files, in place of the compiled @vscode/spdlog: no compiler is needed then.
// The output channels of extensions are shown from these files.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];
const METHODS = ["trace", "debug", "info", "warn", "error", "critical"];

class Logger {
  constructor(file) {
    this.file = file;
    this.level = 0;
    this.formatted = true;
    METHODS.forEach((method, level) => {
      this[method] = (text) => this.write(level, text);
    });
  }

  write(level, text) {
    if (level < this.level) {
      return;
    }
    const time = new Date().toISOString().replace("T", " ").replace("Z", "");
    fs.appendFileSync(this.file, this.formatted ? `${time} [${LEVELS[level]}] ${text}\n` : text);
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  clearFormatters() {
    this.formatted = false;
  }

  setPattern() {}
  flush() {}
  drop() {}
}

const make = async (_name, file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(file);
};

// One by one: so Node knows their names when a module imports them.
exports.version = 11100;
exports.Logger = Logger;
exports.createRotatingLogger = make;
exports.createAsyncRotatingLogger = make;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.shutdown = () => undefined;
