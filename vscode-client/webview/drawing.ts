/** Draws the graph on a canvas, in the colours of the theme. */

import type { Layout } from "./layout.js";
import { labelOf, type Graph, type Neighbours } from "./model.js";

/** Colours of VS Code's themes by asset type, the second where a theme has not the first. */
const TYPE_COLOURS: Readonly<Record<string, readonly [string, string]>> = {
  skill: ["--vscode-charts-blue", "#3794ff"],
  knowledge: ["--vscode-charts-green", "#89d185"],
  memory: ["--vscode-charts-purple", "#b180d7"],
  lesson: ["--vscode-symbolIcon-classForeground", "#d18616"],
  fact: ["--vscode-charts-yellow", "#cca700"],
  instruction: ["--vscode-terminal-ansiCyan", "#11a8cd"],
  command: ["--vscode-terminal-ansiBrightBlue", "#3b8eea"],
  agent: ["--vscode-terminal-ansiMagenta", "#bc3fbc"],
  workflow: ["--vscode-terminal-ansiGreen", "#0dbc79"],
  script: ["--vscode-terminal-ansiYellow", "#b5a300"],
  task: ["--vscode-terminal-ansiBrightCyan", "#29b8db"],
  session: ["--vscode-terminal-ansiBrightMagenta", "#d670d6"],
  env: ["--vscode-descriptionForeground", "#999999"],
  secret: ["--vscode-disabledForeground", "#777777"],
  missing: ["--vscode-errorForeground", "#f14c4c"],
};

export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly line: string;
  readonly accent: string;
  readonly broken: string;
  readonly font: string;
  typed(type: string): string;
}

/** The colours of the theme of this moment. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const colour = (name: string, instead: string): string => style.getPropertyValue(name).trim() || instead;
  const types = new Map<string, string>();
  return {
    background: colour("--vscode-editor-background", "#1e1e1e"),
    text: colour("--vscode-editor-foreground", "#cccccc"),
    line: colour("--vscode-descriptionForeground", "#888888"),
    accent: colour("--vscode-focusBorder", "#007fd4"),
    broken: colour("--vscode-errorForeground", "#f14c4c"),
    font: colour("--vscode-font-family", "sans-serif"),
    typed: (type) => {
      const known = types.get(type);
      const found = known ?? colour(...(TYPE_COLOURS[type] ?? ["--vscode-foreground", "#cccccc"]));
      types.set(type, found);
      return found;
    },
  };
}

export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Scene {
  readonly graph: Graph;
  readonly layout: Layout;
  readonly neighbours: Neighbours;
  readonly camera: Camera;
  readonly palette: Palette;
  readonly hidden: ReadonlySet<string>;
  /** What a filter leaves bright; undefined without one. */
  readonly matches: ReadonlySet<number> | undefined;
  /** The active file's node and the one under the pointer; -1 for none. */
  readonly active: number;
  readonly hovered: number;
}

const DIM = 0.18;
const MOST_LABELS = 70;
/** While more nodes than these move, only what is pointed at is named. */
const MANY_MOVING = 300;

/** In the layout's unit; never less than a few pixels, however far the view is zoomed out. */
export function radiusOf(scene: Pick<Scene, "neighbours" | "camera">, node: number): number {
  const radius = 4 + Math.min(2 * Math.sqrt(scene.neighbours.degree(node)), 10);
  return Math.max(radius, 2.2 / scene.camera.scale);
}

/** @param width - of the canvas in CSS pixels, like `height`; `ratio` device pixels in one. */
export function draw(
  context: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  height: number,
  ratio: number,
): void {
  const { camera, palette } = scene;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  context.setTransform(
    ratio * camera.scale, 0, 0, ratio * camera.scale,
    ratio * (width / 2 - camera.x * camera.scale), ratio * (height / 2 - camera.y * camera.scale),
  );
  const bright = brightOf(scene);
  drawEdges(context, scene, bright);
  drawNodes(context, scene, bright);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawLabels(context, scene, bright, width, height);
  context.globalAlpha = 1;
}

/** What stands out; undefined when everything does. */
function brightOf(scene: Scene): ReadonlySet<number> | undefined {
  if (scene.hovered >= 0) {
    return scene.neighbours.around(scene.hovered);
  }
  if (scene.matches !== undefined) {
    return scene.matches;
  }
  return scene.active >= 0 ? scene.neighbours.around(scene.active) : undefined;
}

function isHidden(scene: Scene, node: number): boolean {
  return scene.hidden.has(scene.graph.nodes[node]?.type ?? "");
}

function drawEdges(context: CanvasRenderingContext2D, scene: Scene, bright: ReadonlySet<number> | undefined): void {
  const { graph, palette } = scene;
  const centre = scene.hovered >= 0 ? scene.hovered : scene.matches === undefined ? scene.active : -1;
  const isNear = (source: number, target: number): boolean =>
    bright === undefined ||
    (centre >= 0 ? source === centre || target === centre : bright.has(source) && bright.has(target));
  // One path for each look: strokes cost, segments do not.
  for (const near of [false, true]) {
    for (const broken of [false, true]) {
      context.beginPath();
      for (const { source, target, broken: isBroken } of graph.edges) {
        if (
          (isBroken === true) === broken &&
          isNear(source, target) === near &&
          !isHidden(scene, source) &&
          !isHidden(scene, target)
        ) {
          drawEdge(context, scene, source, target, near && centre >= 0);
        }
      }
      context.strokeStyle = broken ? palette.broken : near && centre >= 0 ? palette.accent : palette.line;
      context.globalAlpha = near ? (broken ? 0.95 : centre >= 0 ? 0.9 : 0.45) : broken ? 0.35 : DIM * 0.7;
      context.lineWidth = (broken ? 1.8 : near && centre >= 0 ? 1.6 : 1) / Math.sqrt(scene.camera.scale);
      context.stroke();
    }
  }
}

function drawEdge(
  context: CanvasRenderingContext2D,
  scene: Scene,
  source: number,
  target: number,
  withHead: boolean,
): void {
  const { x, y } = scene.layout;
  const [x1, y1, x2, y2] = [x[source] ?? 0, y[source] ?? 0, x[target] ?? 0, y[target] ?? 0];
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  if (withHead) {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const back = radiusOf(scene, target) + 2;
    const [tipX, tipY] = [x2 - ux * back, y2 - uy * back];
    context.moveTo(tipX - ux * 6 - uy * 3.5, tipY - uy * 6 + ux * 3.5);
    context.lineTo(tipX, tipY);
    context.lineTo(tipX - ux * 6 + uy * 3.5, tipY - uy * 6 - ux * 3.5);
  }
}

function drawNodes(context: CanvasRenderingContext2D, scene: Scene, bright: ReadonlySet<number> | undefined): void {
  const { graph, layout, palette } = scene;
  const groups = new Map<string, number[]>();
  graph.nodes.forEach(({ type }, node) => {
    if (!scene.hidden.has(type)) {
      const key = `${bright === undefined || bright.has(node) ? "1" : "0"}${type}`;
      const group = groups.get(key);
      if (group === undefined) {
        groups.set(key, [node]);
      } else {
        group.push(node);
      }
    }
  });
  for (const [key, nodes] of [...groups].sort(([one], [other]) => one.localeCompare(other))) {
    const type = key.slice(1);
    context.beginPath();
    for (const node of nodes) {
      const radius = radiusOf(scene, node);
      const [x, y] = [layout.x[node] ?? 0, layout.y[node] ?? 0];
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.globalAlpha = key.startsWith("1") ? 1 : DIM;
    const colour = palette.typed(type);
    // What is not there is a ring, not a disc.
    context.fillStyle = type === "missing" ? palette.background : colour;
    context.fill();
    context.strokeStyle = type === "missing" ? colour : palette.background;
    context.lineWidth = type === "missing" ? 2 : 1;
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const node of [scene.active, scene.hovered]) {
    if (node >= 0 && !isHidden(scene, node)) {
      context.beginPath();
      context.arc(layout.x[node] ?? 0, layout.y[node] ?? 0, radiusOf(scene, node) + 3.5, 0, 2 * Math.PI);
      context.strokeStyle = palette.accent;
      context.lineWidth = 2;
      context.stroke();
    }
  }
}

/** Labels of what matters most, as far as they have room. */
function drawLabels(
  context: CanvasRenderingContext2D,
  scene: Scene,
  bright: ReadonlySet<number> | undefined,
  width: number,
  height: number,
): void {
  const { camera, graph, layout, neighbours, palette } = scene;
  const importance = (node: number): number =>
    (node === scene.hovered ? 1e6 : 0) +
    (node === scene.active ? 1e5 : 0) +
    (bright?.has(node) === true ? 1e3 : 0) +
    neighbours.degree(node);
  const visible: { node: number; x: number; y: number }[] = [];
  const quiet = graph.nodes.length > MANY_MOVING && !layout.settled;
  graph.nodes.forEach((_, node) => {
    if (quiet && node !== scene.hovered && node !== scene.active) {
      return;
    }
    const x = ((layout.x[node] ?? 0) - camera.x) * camera.scale + width / 2;
    const y = ((layout.y[node] ?? 0) - camera.y) * camera.scale + height / 2;
    const shown = bright === undefined || bright.has(node);
    if (shown && !isHidden(scene, node) && x > -40 && x < width + 40 && y > -10 && y < height + 10) {
      visible.push({ node, x, y });
    }
  });
  visible.sort((one, other) => importance(other.node) - importance(one.node));
  context.font = `11px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.background;
  const taken: [number, number, number, number][] = [];
  for (const { node, x, y } of visible) {
    if (taken.length >= MOST_LABELS) {
      break;
    }
    const asset = graph.nodes[node];
    const text = asset === undefined ? "" : labelOf(asset);
    const wide = context.measureText(text).width;
    const top = y + radiusOf(scene, node) * camera.scale + 3;
    const box: [number, number, number, number] = [x - wide / 2 - 2, top, x + wide / 2 + 2, top + 13];
    const inTheWay = taken.some(
      (other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1],
    );
    if (inTheWay && node !== scene.active && node !== scene.hovered) {
      continue;
    }
    taken.push(box);
    context.globalAlpha = 0.9;
    context.strokeText(text, x, top);
    context.fillStyle = asset?.type === "missing" ? palette.broken : palette.text;
    context.globalAlpha = 1;
    context.fillText(text, x, top);
  }
}
