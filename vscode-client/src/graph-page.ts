/** The HTML of the graph: nothing is loaded but its own script, nothing runs without the nonce. */

export interface PageParts {
  readonly nonce: string;
  /** The script's URI, and the source that the webview may load from. */
  readonly script: string;
  readonly source: string;
}

export function graphPage({ nonce, script, source }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}' ${source}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>AKM Graph</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>
<input id="filter" type="text" role="combobox" aria-label="Filter assets" aria-controls="list" aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Filter assets ( / )">
<button id="follow" aria-pressed="true" title="Follow the active file">Follow</button>
<button id="fit" title="Show the whole graph (0)">Fit</button>
</header>
<ul id="list" role="listbox" aria-label="Assets" hidden></ul>
<canvas id="canvas" role="img" aria-label="Graph of citations"></canvas>
<div id="tip" role="tooltip" hidden></div>
<footer><div id="legend" role="group" aria-label="Asset types"></div><div id="status" role="status">Reading the index…</div></footer>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}

const STYLE = `
html, body { height: 100%; }
body { margin: 0; padding: 0; display: flex; flex-direction: column; overflow: hidden; position: relative;
  background: var(--vscode-editor-background); color: var(--vscode-foreground);
  font: var(--vscode-font-size) var(--vscode-font-family); }
header { display: flex; gap: 6px; padding: 8px; flex: none; }
input { flex: 1 1 auto; min-width: 0; max-width: 420px; padding: 3px 7px; font: inherit; border-radius: 3px;
  color: var(--vscode-input-foreground); background: var(--vscode-input-background);
  border: 1px solid var(--vscode-input-border, var(--vscode-widget-border, transparent)); }
input::placeholder { color: var(--vscode-input-placeholderForeground); }
input:focus, button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
button { flex: none; font: inherit; padding: 3px 9px; border: 1px solid var(--vscode-button-border, var(--vscode-widget-border, transparent)); border-radius: 3px; cursor: pointer;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
#follow[aria-pressed="true"] { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
canvas { flex: 1 1 auto; min-height: 0; width: 100%; touch-action: none; cursor: grab; }
#list { position: absolute; z-index: 2; top: 38px; left: 8px; margin: 0; padding: 3px; list-style: none;
  box-sizing: border-box; width: min(420px, calc(100% - 16px)); max-height: 45%; overflow: auto; border-radius: 4px;
  color: var(--vscode-editorWidget-foreground); background: var(--vscode-editorWidget-background);
  border: 1px solid var(--vscode-widget-border, var(--vscode-editorWidget-border, transparent));
  box-shadow: 0 2px 8px var(--vscode-widget-shadow); }
#list[hidden], #tip[hidden] { display: none; }
#list li { display: flex; align-items: center; gap: 7px; padding: 2px 6px; border-radius: 3px; cursor: pointer; white-space: nowrap; }
#list li.none { cursor: default; color: var(--vscode-descriptionForeground); }
#list li:hover { background: var(--vscode-list-hoverBackground); }
#list li[aria-selected="true"] { color: var(--vscode-list-activeSelectionForeground); background: var(--vscode-list-activeSelectionBackground); }
.name { overflow: hidden; text-overflow: ellipsis; }
.ref { margin-left: auto; padding-left: 8px; flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; opacity: .7; font-size: .9em; direction: rtl; }
.dot { flex: none; display: inline-block; width: 9px; height: 9px; border-radius: 50%; background: var(--colour); }
.dot.ring { box-sizing: border-box; background: none; border: 2px solid var(--colour); }
footer { flex: none; padding: 5px 8px 7px; border-top: 1px solid var(--vscode-panel-border, transparent); }
#legend { display: flex; flex-wrap: wrap; gap: 4px; max-height: 7em; overflow: auto; }
@media (max-width: 340px) { #legend { flex-wrap: nowrap; scrollbar-width: thin; } .chip { white-space: nowrap; } }
.chip { display: inline-flex; align-items: center; gap: 5px; padding: 0 7px; font-size: .9em; line-height: 1.6; border-radius: 9px; background: transparent;
  color: var(--vscode-foreground); border-color: var(--vscode-widget-border, var(--vscode-panel-border, transparent)); }
.chip[aria-pressed="false"] { opacity: .45; text-decoration: line-through; }
#status { margin-top: 5px; font-size: .9em; color: var(--vscode-descriptionForeground); }
#tip { position: absolute; z-index: 3; pointer-events: none; max-width: min(360px, 90%); padding: 5px 8px; border-radius: 4px;
  color: var(--vscode-editorHoverWidget-foreground); background: var(--vscode-editorHoverWidget-background);
  border: 1px solid var(--vscode-editorHoverWidget-border); box-shadow: 0 2px 8px var(--vscode-widget-shadow); }
#tip b, #tip code { display: block; overflow: hidden; text-overflow: ellipsis; }
#tip code { font-family: var(--vscode-editor-font-family); font-size: .92em; margin: 2px 0; background: none; color: var(--vscode-textLink-foreground); }
`;
