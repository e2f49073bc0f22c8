// What a person does in VS Code's page, and what they see there.
import assert from "node:assert/strict";
import path from "node:path";
import { PATIENCE_MS } from "./workbench.mjs";

export class Workbench {
  constructor(page, shots) {
    this.page = page;
    this.shots = shots;
  }

  get quickInput() {
    return this.page.locator(".quick-input-widget input").first();
  }

  row(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** A picture; without the tooltips of where the pointer happens to be unless it points at something. */
  async shot(name, { pointing = false } = {}) {
    if (!pointing) {
      await this.page.mouse.move(700, 796);
      await this.page.locator(".workbench-hover-container").first().waitFor({ state: "hidden" });
    }
    await this.page.screenshot({ path: path.join(this.shots, `${name}.png`) });
  }

  /** Waits until the page says something; `what` is what the failure is called. */
  async until(what, condition, argument) {
    try {
      await this.page.waitForFunction(condition, argument, { timeout: PATIENCE_MS });
    } catch (error) {
      throw new Error(`${what}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`, { cause: error });
    }
  }

  async open(name) {
    await this.choose("Control+P", name, path.basename(name));
    await this.tab(path.basename(name)).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** The tab in front, of whichever group. */
  tab(label) {
    return this.page.locator(".tab.active", { hasText: label }).first();
  }

  async command(title) {
    await this.choose("F1", `>${title}`, title);
  }

  /** Chooses from VS Code's own list; one that loses the focus as it opens is opened again. */
  async choose(key, text, wanted) {
    const timeout = PATIENCE_MS / 12;
    for (let attempt = 0; ; attempt++) {
      await this.page.keyboard.press(key);
      try {
        await this.quickInput.fill(text, { timeout });
        await this.row(wanted).click({ timeout });
        return;
      } catch (error) {
        if (attempt === 11) {
          throw new Error(`${wanted} cannot be chosen: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
        }
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async theme(name) {
    await this.command("Preferences: Color Theme");
    await this.page.locator('.quick-input-widget input[placeholder*="heme"]').first().waitFor();
    await this.quickInput.fill(name);
    await this.row(name).click();
    await this.quickInput.waitFor({ state: "hidden" });
  }

  /** Closes the editor in front without what was typed. */
  async close() {
    const label = await this.page.locator(".editor-group-container.active .tab.active").getAttribute("data-resource-name");
    await this.command("View: Revert and Close Editor");
    await this.page.locator(`.tab.active[data-resource-name="${label}"]`).waitFor({ state: "detached" });
  }

  /** The text of the editor in front, spaces as spaces. */
  text() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-group-container.active .view-lines .view-line")]
        .map((line) => [Number.parseInt(line.style.top), line.textContent.replaceAll("\u00a0", " ")])
        .sort((one, other) => one[0] - other[0])
        .map(([, text]) => text)
        .join("\n"),
    );
  }

  async untilText(what, pattern) {
    await this.until(
      what,
      (source) => {
        const lines = [...document.querySelectorAll(".editor-group-container.active .view-lines .view-line")];
        const text = lines
          .sort((one, other) => Number.parseInt(one.style.top) - Number.parseInt(other.style.top))
          .map((line) => line.textContent.replaceAll("\u00a0", " "))
          .join("\n");
        return new RegExp(source).test(text);
      },
      pattern.source,
    );
  }

  /** The middle of some text in the editor, in page pixels; the last place where it stands. */
  async placeOf(text) {
    await this.untilText(`“${text}” is in the editor`, new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
    const place = await this.page.evaluate((wanted) => {
      let found;
      for (const line of document.querySelectorAll(".editor-group-container.active .view-lines .view-line")) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        const nodes = [];
        while (walker.nextNode()) {
          nodes.push(walker.currentNode);
        }
        const whole = nodes.map((node) => node.data).join("").replaceAll("\u00a0", " ");
        const start = whole.lastIndexOf(wanted);
        if (start < 0) {
          continue;
        }
        const at = (offset) => {
          let before = 0;
          for (const node of nodes) {
            if (offset <= before + node.data.length) {
              return [node, offset - before];
            }
            before += node.data.length;
          }
          return [nodes.at(-1), nodes.at(-1).data.length];
        };
        const range = document.createRange();
        range.setStart(...at(start));
        range.setEnd(...at(start + wanted.length));
        const box = range.getBoundingClientRect();
        found = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      return found;
    }, text);
    assert.ok(place !== undefined, `“${text}” stands in one line of the editor`);
    return place;
  }

  /** Clicks at some text once it stands still: lenses that come late move the lines. */
  async click(text) {
    let place = await this.placeOf(text);
    for (;;) {
      await this.page.waitForTimeout(150);
      const again = await this.placeOf(text);
      if (again.x === place.x && again.y === place.y) {
        break;
      }
      place = again;
    }
    await this.page.mouse.click(place.x, place.y);
  }

  /** Does something until what it brings is there: a menu closes when the editor moves below it. */
  async insist(what, action, sought) {
    for (let attempt = 0; ; attempt++) {
      await action();
      try {
        await sought.first().waitFor({ timeout: PATIENCE_MS / 6 });
        return;
      } catch (error) {
        if (attempt === 5) {
          throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
        }
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Rests the pointer on some text until a hover says `pattern`. */
  async hover(text, pattern) {
    const says = (source) =>
      [...document.querySelectorAll(".monaco-hover:not(.hidden)")].some((hover) =>
        new RegExp(source).test(hover.textContent.replaceAll("\u00a0", " ")) &&
          !/Loading\.\.\.|Checking for/.test(hover.textContent),
      );
    // A hover that came before the server had its answer is not asked again: leave and come back.
    // Lenses and hints that come late move the lines: the place is looked up each time.
    for (let attempt = 0; ; attempt++) {
      const { x, y } = await this.placeOf(text);
      await this.page.mouse.move(x, y);
      await this.page.mouse.move(x + 1, y);
      try {
        await this.page.waitForFunction(says, pattern.source, { timeout: PATIENCE_MS / 6 });
        return;
      } catch (error) {
        if (attempt === 5) {
          throw new Error(`the hover over “${text}” says ${String(pattern)}: ${String(error)}`, { cause: error });
        }
        await this.page.mouse.move(4, 400);
      }
    }
  }

  /** What the output channel of the extension shows. */
  async logs() {
    await this.page.keyboard.press("Escape");
    await this.command("AKM: Show Log");
    const lines = this.page.locator(".panel .view-lines .view-line");
    await lines.first().waitFor();
    return (await lines.allInnerTexts()).join("\n");
  }

  /** The page inside the graph's panel. */
  async graph() {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      for (const frame of this.page.frames()) {
        if (frame.parentFrame() !== null && (await frame.locator("body[data-nodes] #canvas").count().catch(() => 0)) > 0) {
          return frame;
        }
      }
      assert.ok(Date.now() < until, "the graph's page has loaded and drawn");
      await this.page.waitForTimeout(100);
    }
  }
}
