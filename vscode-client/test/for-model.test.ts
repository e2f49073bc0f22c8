import assert from "node:assert/strict";
import { it } from "node:test";
import { findingsForModel, packForModel, type Checked, type Pack } from "../src/for-model.js";

const PACK: Pack = {
  evidence: [
    { ref: "t//knowledge/tokens#rotate", title: "Rotate", text_preview: "Issue,\nwait, revoke.", citation_ids: ["c1"] },
  ],
  citations: [
    { id: "c1", quote_preview: "wait", source_uri: "file:///t/tokens.md", range: { start: { line: 4 } } },
    { id: "c2", quote_preview: "of nobody" },
  ],
  warnings: ["superseded:t//knowledge/tokens"],
};

const CHECKED: Checked = {
  findings: [
    {
      at: "skills/review/SKILL.md:3:7",
      path: "/t/skills/review/SKILL.md",
      code: "missing-ref",
      severity: "warning",
      message: "There is no asset.",
      fixes: ["Change to t//skills/x"],
    },
  ],
  total: 3,
  summary: { files: 2 },
};

it("a pack names each ref with its quote and the line that it stands in", () => {
  const text = packForModel("rotate", PACK);
  assert.match(text, /- t\/\/knowledge\/tokens#rotate \(Rotate\)\n {2}Issue, wait, revoke\./);
  assert.match(text, /> wait \[file:\/\/\/t\/tokens\.md:5\]/);
  assert.match(text, /warning: superseded:t\/\/knowledge\/tokens/);
  assert.doesNotMatch(text, /of nobody/);
});

it("an empty pack says what to do", () => {
  assert.match(packForModel("x", { evidence: [], citations: [] }), /Nothing was found for “x”.*akm_search/);
});

it("findings say where, which rule and what would fix it, and that there are more", () => {
  const text = findingsForModel(CHECKED);
  assert.match(text, /^3 findings in 2 files, 1 shown:\n/);
  assert.match(text, /- skills\/review\/SKILL\.md:3:7 warning\[missing-ref\] There is no asset\.\n/);
  assert.match(text, /file: \/t\/skills\/review\/SKILL\.md\n {2}fix: Change to t\/\/skills\/x/);
});

it("one finding is one", () => {
  const one = { ...CHECKED, findings: CHECKED.findings.slice(0, 1), total: 1, summary: { files: 1 } };
  assert.match(findingsForModel(one), /^1 finding in 1 file:\n/);
});

it("no findings are said to be none, and of what", () => {
  const clean = { findings: [], total: 0, summary: { files: 1 }, warnings: ["refs were not checked"] };
  assert.equal(findingsForModel(clean), "No findings in 1 file.\nwarning: refs were not checked\n");
});
