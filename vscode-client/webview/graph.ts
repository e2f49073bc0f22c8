/** The page of the graph: what the pointer and the keys do, and when to draw. */

import { draw, paletteOf, radiusOf, type Camera } from "./drawing.js";
import { Layout } from "./layout.js";
import {
  matching,
  Neighbours,
  NO_GRAPH,
  shortRef,
  summary,
  typesOf,
  type FromPage,
  type Graph,
  type ToPage,
} from "./model.js";

interface Kept {
  readonly filter: string;
  readonly hidden: readonly string[];
  readonly follow: boolean;
  /** Where nodes were, by ref. */
  readonly places: Readonly<Record<string, readonly [number, number]>>;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): Partial<Kept> | undefined;
  setState(state: Kept): void;
};

/** Of a frame: the rest is the editor's. */
const BUDGET_MS = 8;
const MOST_LISTED = 50;
const MOST_KEPT = 3000;
/** How far the pointer may move for a press to be a click. */
const CLICK_PX = 4;

const host = acquireVsCodeApi();
const kept = host.getState() ?? {};
const canvas = element("canvas", HTMLCanvasElement);
const filter = element("filter", HTMLInputElement);
const list = element("list", HTMLUListElement);
const legend = element("legend", HTMLElement);
const status = element("status", HTMLElement);
const tip = element("tip", HTMLElement);
const follow = element("follow", HTMLButtonElement);
const fit = element("fit", HTMLButtonElement);
const context = canvas.getContext("2d");

let graph: Graph = NO_GRAPH;
let layout = new Layout(0, [], []);
let neighbours = new Neighbours(NO_GRAPH);
let places = new Map<string, number>();
let matches: number[] | undefined;
let activeRef: string | undefined;
let active = -1;
let hovered = -1;
let chosen = -1;
let palette = paletteOf(document.body);
let fitting = true;
let target: Camera | undefined;
let frame = 0;
const hidden = new Set(kept.hidden ?? []);
const camera: Camera = { x: 0, y: 0, scale: 1 };
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

// What the host tells.

addEventListener("message", (event: MessageEvent<ToPage>) => {
  const message = event.data;
  switch (message.kind) {
    case "graph":
      take(message.graph);
      setActive(message.active);
      break;
    case "active":
      setActive(message.ref);
      break;
    case "failed":
      status.textContent = message.message;
      break;
  }
});

/** Another graph: nodes that were there stay where they are. */
function take(next: Graph): void {
  const before = new Map(
    [...places].map(([ref, node]) => [ref, [layout.x[node] ?? 0, layout.y[node] ?? 0] as const]),
  );
  const known = (ref: string): readonly [number, number] | undefined =>
    before.get(ref) ?? (graph.nodes.length === 0 ? kept.places?.[ref] : undefined);
  const fresh = new Layout(
    next.nodes.length,
    next.edges.map((edge) => edge.source),
    next.edges.map((edge) => edge.target),
  );
  let placed = 0;
  next.nodes.forEach(({ ref }, node) => {
    const at = known(ref);
    if (at !== undefined) {
      fresh.put(node, at[0], at[1]);
      placed++;
    }
  });
  const share = next.nodes.length === 0 ? 1 : placed / next.nodes.length;
  fresh.heat = share === 1 ? 0.02 : share > 0.8 ? 0.25 : 1;
  fitting ||= graph.nodes.length === 0;
  graph = next;
  layout = fresh;
  neighbours = new Neighbours(next);
  places = new Map(next.nodes.map(({ ref }, node) => [ref, node]));
  hovered = -1;
  active = activeRef === undefined ? -1 : (places.get(activeRef) ?? -1);
  const text = next.nodes.length === 0 ? "No assets to show." : summary(next);
  status.textContent = text;
  canvas.setAttribute("aria-label", `Graph of citations: ${text}`);
  document.body.dataset.nodes = String(next.nodes.length);
  document.body.dataset.edges = String(next.edges.length);
  showLegend();
  applyFilter();
}

function setActive(ref: string | undefined): void {
  activeRef = ref;
  active = ref === undefined ? -1 : (places.get(ref) ?? -1);
  document.body.dataset.active = active < 0 ? "" : (ref ?? "");
  if (active >= 0 && isFollowing()) {
    centre(active);
  }
  redraw();
}

function isFollowing(): boolean {
  return follow.getAttribute("aria-pressed") === "true";
}

/** Moves the view to a node, unless it is well in sight. */
function centre(node: number): void {
  const { width, height } = canvas.getBoundingClientRect();
  const [x, y] = [layout.x[node] ?? 0, layout.y[node] ?? 0];
  const dx = Math.abs(x - camera.x) * camera.scale;
  const dy = Math.abs(y - camera.y) * camera.scale;
  if (!layout.settled || dx > 0.3 * width || dy > 0.3 * height) {
    fitting = fitting && !layout.settled;
    target = fitting ? undefined : { x, y, scale: Math.max(camera.scale, 0.6) };
  }
}

// Filter, list and legend.

function applyFilter(): void {
  const text = filter.value.trim();
  matches = text === "" ? undefined : matching(graph, text, hidden);
  chosen = matches !== undefined && matches.length > 0 ? 0 : -1;
  showList();
  keep();
  redraw();
}

/** What the filter finds; without one what is next to the active file, for the keyboard. */
function listed(): number[] {
  if (matches !== undefined) {
    return matches.slice(0, MOST_LISTED);
  }
  const near = active < 0 ? graph.nodes.map((_, node) => node) : [...neighbours.around(active)];
  return near.filter((node) => !hidden.has(graph.nodes[node]?.type ?? "")).slice(0, MOST_LISTED);
}

function showList(open = matches !== undefined): void {
  list.hidden = !open;
  filter.setAttribute("aria-expanded", String(open));
  if (!open) {
    filter.removeAttribute("aria-activedescendant");
    return;
  }
  const nodes = listed();
  list.replaceChildren(
    ...nodes.map((node, place) => {
      const asset = graph.nodes[node];
      const item = document.createElement("li");
      item.id = `item-${String(place)}`;
      item.role = "option";
      item.ariaSelected = String(place === chosen);
      const dot = document.createElement("span");
      dot.className = asset?.type === "missing" ? "dot ring" : "dot";
      dot.style.setProperty("--colour", palette.typed(asset?.type ?? ""));
      const name = document.createElement("span");
      name.className = "name";
      name.textContent = asset?.title ?? "";
      const ref = document.createElement("span");
      ref.className = "ref";
      ref.textContent = shortRef(asset?.ref ?? "");
      item.append(dot, name, ref);
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
      });
      item.addEventListener("click", () => {
        choose(node);
      });
      item.addEventListener("mouseenter", () => {
        hovered = node;
        redraw();
      });
      return item;
    }),
  );
  if (nodes.length === 0) {
    const none = document.createElement("li");
    none.className = "none";
    none.textContent = "Nothing matches.";
    list.append(none);
  }
  mark();
}

function mark(): void {
  [...list.children].forEach((item, place) => {
    item.ariaSelected = String(place === chosen);
    if (place === chosen) {
      item.scrollIntoView({ block: "nearest" });
      filter.setAttribute("aria-activedescendant", item.id);
    }
  });
}

function choose(node: number): void {
  const asset = graph.nodes[node];
  if (asset !== undefined) {
    target = { x: layout.x[node] ?? 0, y: layout.y[node] ?? 0, scale: Math.max(camera.scale, 1) };
    fitting = false;
    redraw();
    host.postMessage({ kind: "open", ref: asset.ref });
  }
}

function showLegend(): void {
  legend.replaceChildren(
    ...typesOf(graph).map(({ type, count }) => {
      const button = document.createElement("button");
      button.className = "chip";
      button.ariaPressed = String(!hidden.has(type));
      button.title = `Show or hide: ${type}`;
      const dot = document.createElement("span");
      dot.className = type === "missing" ? "dot ring" : "dot";
      dot.style.setProperty("--colour", palette.typed(type));
      button.append(dot, `${type === "missing" ? "not found" : type} ${String(count)}`);
      button.addEventListener("click", () => {
        if (!hidden.delete(type)) {
          hidden.add(type);
        }
        button.ariaPressed = String(!hidden.has(type));
        applyFilter();
      });
      return button;
    }),
  );
}

filter.value = kept.filter ?? "";
filter.addEventListener("input", () => {
  applyFilter();
});
filter.addEventListener("keydown", (event) => {
  const count = listed().length;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (list.hidden) {
      chosen = -1;
      showList(true);
    }
    const step = event.key === "ArrowDown" ? 1 : -1;
    chosen = count === 0 ? -1 : (chosen + step + count) % count;
    hovered = listed()[chosen] ?? -1;
    mark();
    redraw();
    event.preventDefault();
  } else if (event.key === "Enter") {
    const node = listed()[chosen];
    if (node !== undefined && !list.hidden) {
      choose(node);
    }
  } else if (event.key === "Escape") {
    hovered = -1;
    filter.value = "";
    applyFilter();
  }
});
filter.addEventListener("blur", () => {
  hovered = -1;
  showList(false);
  redraw();
});
filter.addEventListener("focus", () => {
  showList();
});
follow.ariaPressed = String(kept.follow ?? true);
follow.addEventListener("click", () => {
  follow.ariaPressed = String(!isFollowing());
  keep();
  setActive(activeRef);
});
fit.addEventListener("click", () => {
  fitting = true;
  redraw();
});
addEventListener("keydown", (event) => {
  if (event.target === filter) {
    return;
  }
  if (event.key === "/") {
    filter.focus();
    event.preventDefault();
  } else if (event.key === "+" || event.key === "-") {
    zoom(event.key === "+" ? 1.25 : 0.8, canvas.clientWidth / 2, canvas.clientHeight / 2);
  } else if (event.key === "0") {
    fitting = true;
    redraw();
  }
});

// The pointer.

let press: { readonly id: number; x: number; y: number; readonly node: number; moved: number } | undefined;

function toGraph(x: number, y: number): { x: number; y: number } {
  return {
    x: (x - canvas.clientWidth / 2) / camera.scale + camera.x,
    y: (y - canvas.clientHeight / 2) / camera.scale + camera.y,
  };
}

function nodeAt(x: number, y: number): number {
  const at = toGraph(x, y);
  let [best, nearest] = [-1, Infinity];
  graph.nodes.forEach(({ type }, node) => {
    if (hidden.has(type)) {
      return;
    }
    const distance = Math.hypot((layout.x[node] ?? 0) - at.x, (layout.y[node] ?? 0) - at.y);
    // A few pixels more than is drawn, however far the view is zoomed out.
    if (distance < radiusOf({ neighbours, camera }, node) + 4 / camera.scale && distance < nearest) {
      [best, nearest] = [node, distance];
    }
  });
  return best;
}

function zoom(by: number, x: number, y: number): void {
  const before = toGraph(x, y);
  camera.scale = Math.min(Math.max(camera.scale * by, 0.03), 8);
  const after = toGraph(x, y);
  camera.x += before.x - after.x;
  camera.y += before.y - after.y;
  fitting = false;
  target = undefined;
  redraw();
}

canvas.addEventListener(
  "wheel",
  (event) => {
    zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
    event.preventDefault();
  },
  { passive: false },
);
canvas.addEventListener("pointerdown", (event) => {
  if (event.button === 0) {
    press = { id: event.pointerId, x: event.offsetX, y: event.offsetY, node: nodeAt(event.offsetX, event.offsetY), moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  }
});
canvas.addEventListener("pointermove", (event) => {
  if (press?.id !== event.pointerId) {
    hover(nodeAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    return;
  }
  const [dx, dy] = [event.offsetX - press.x, event.offsetY - press.y];
  press.moved += Math.hypot(dx, dy);
  [press.x, press.y] = [event.offsetX, event.offsetY];
  if (press.moved < CLICK_PX) {
    return;
  }
  tip.hidden = true;
  fitting = false;
  target = undefined;
  if (press.node >= 0) {
    const at = toGraph(event.offsetX, event.offsetY);
    layout.held = press.node;
    layout.put(press.node, at.x, at.y);
    layout.warm(0.15);
  } else {
    camera.x -= dx / camera.scale;
    camera.y -= dy / camera.scale;
  }
  redraw();
});
canvas.addEventListener("pointerup", (event) => {
  const done = press;
  press = undefined;
  layout.held = -1;
  const asset = graph.nodes[done?.node ?? -1];
  if (done?.id === event.pointerId && done.moved < CLICK_PX && asset !== undefined) {
    host.postMessage({ kind: "open", ref: asset.ref });
  }
});
canvas.addEventListener("pointerleave", () => {
  hover(-1, 0, 0);
});
canvas.addEventListener("dblclick", (event) => {
  if (nodeAt(event.offsetX, event.offsetY) < 0) {
    fitting = true;
    redraw();
  }
});

function hover(node: number, x: number, y: number): void {
  canvas.style.cursor = node < 0 ? "grab" : "pointer";
  const asset = graph.nodes[node];
  tip.hidden = asset === undefined;
  if (asset !== undefined) {
    const facts = [
      asset.type === "missing" ? "cited, but not there" : asset.type,
      ...(asset.beliefState === undefined ? [] : [asset.beliefState]),
      `cites ${String(neighbours.cites(node).length)}`,
      `cited by ${String(neighbours.citedBy(node).length)}`,
    ];
    const title = document.createElement("b");
    title.textContent = asset.title;
    const ref = document.createElement("code");
    ref.textContent = asset.ref;
    tip.replaceChildren(title, ref, facts.join(" · "));
    const left = Math.min(x + 14, canvas.clientWidth - tip.offsetWidth - 8);
    const below = y + 16 + tip.offsetHeight < canvas.clientHeight;
    tip.style.left = `${String(Math.max(left, 4))}px`;
    tip.style.top = `${String(canvas.offsetTop + (below ? y + 16 : y - tip.offsetHeight - 10))}px`;
  }
  if (node !== hovered) {
    hovered = node;
    redraw();
  }
}

// Frames.

function redraw(): void {
  if (frame === 0) {
    frame = requestAnimationFrame(paint);
  }
}

function paint(): void {
  frame = 0;
  const until = performance.now() + BUDGET_MS;
  let moving = !layout.settled;
  while (!layout.settled && performance.now() < until) {
    layout.step();
  }
  if (moving && layout.settled) {
    keep();
  }
  if (fitting) {
    fitNow();
  }
  if (target !== undefined) {
    moving = glide(target) || moving;
  }
  // Who wants calm sees the graph when it has come to rest.
  if (context !== null && (!calm.matches || layout.settled || graph.nodes.length === 0)) {
    const { clientWidth, clientHeight } = canvas;
    const scene = {
      graph, layout, neighbours, camera, palette, hidden, active, hovered,
      matches: matches === undefined ? undefined : new Set(matches),
    };
    draw(context, scene, clientWidth, clientHeight, devicePixelRatio);
  }
  document.body.dataset.settled = String(layout.settled && target === undefined);
  if (moving) {
    redraw();
  }
}

/** One step towards a place; whether there is more to go. */
function glide(to: Camera): boolean {
  const share = calm.matches ? 1 : 0.2;
  camera.x += (to.x - camera.x) * share;
  camera.y += (to.y - camera.y) * share;
  camera.scale += (to.scale - camera.scale) * share;
  const left = Math.hypot(to.x - camera.x, to.y - camera.y) * camera.scale + 100 * Math.abs(to.scale - camera.scale);
  if (left < 1) {
    target = undefined;
    return false;
  }
  return true;
}

/** Shows everything that is not hidden. */
function fitNow(): void {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  graph.nodes.forEach(({ type }, node) => {
    if (!hidden.has(type)) {
      left = Math.min(left, layout.x[node] ?? 0);
      right = Math.max(right, layout.x[node] ?? 0);
      top = Math.min(top, layout.y[node] ?? 0);
      bottom = Math.max(bottom, layout.y[node] ?? 0);
    }
  });
  if (left > right) {
    return;
  }
  const { clientWidth, clientHeight } = canvas;
  camera.x = (left + right) / 2;
  camera.y = (top + bottom) / 2;
  const scale = Math.min((clientWidth - 90) / (right - left + 1), (clientHeight - 70) / (bottom - top + 1));
  camera.scale = Math.min(Math.max(scale, 0.03), 2.2);
  target = undefined;
  if (layout.settled) {
    fitting = false;
  }
}

function resize(): void {
  canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
  canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
  redraw();
}

function keep(): void {
  const refs = graph.nodes.slice(0, MOST_KEPT).map(({ ref }, node) => [ref, node] as const);
  host.setState({
    filter: filter.value,
    hidden: [...hidden],
    follow: isFollowing(),
    places: Object.fromEntries(
      refs.map(([ref, node]) => [ref, [Math.round(layout.x[node] ?? 0), Math.round(layout.y[node] ?? 0)]]),
    ),
  });
}

new ResizeObserver(() => {
  // A graph that nobody has moved keeps filling its place.
  fitting ||= !document.body.dataset.touched;
  resize();
}).observe(canvas);
for (const event of ["pointerdown", "wheel"] as const) {
  canvas.addEventListener(event, () => {
    document.body.dataset.touched = "1";
  });
}
new MutationObserver(() => {
  palette = paletteOf(document.body);
  showLegend();
  redraw();
}).observe(document.body, { attributes: true, attributeFilter: ["class"] });

resize();
host.postMessage({ kind: "ready" });
