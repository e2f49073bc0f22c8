/**
 * Places the nodes of a graph by forces: nodes push each other away, citations pull, the middle
 * holds everything together. One step costs n log n: groups that are far off push as one.
 */

/** Distance of two nodes that cite each other, in the layout's own unit. */
const REST = 46;
const PUSH = 130;
const GRAVITY = 0.045;
const FRICTION = 0.6;
const COOLING = 0.026;
const SETTLED = 0.004;
/** A group is taken as one when it is narrower than this share of its distance. */
const FAR = 0.9;
const DEEPEST = 28;

export class Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** What still moves: 1 at the start, towards 0. */
  heat = 1;
  /** The node that a hand holds; it does not move by itself. */
  held = -1;
  private readonly vx: Float64Array;
  private readonly vy: Float64Array;
  private readonly degree: Float64Array;
  private readonly tree: Tree;

  /**
   * @param sources - for each edge the place of the node it comes from, `targets` where it goes.
   */
  constructor(
    private readonly count: number,
    private readonly sources: readonly number[],
    private readonly targets: readonly number[],
  ) {
    this.x = new Float64Array(count);
    this.y = new Float64Array(count);
    this.vx = new Float64Array(count);
    this.vy = new Float64Array(count);
    this.degree = new Float64Array(count);
    this.tree = new Tree(count);
    for (let node = 0; node < count; node++) {
      // A sunflower: even and the same each time.
      const radius = 9 * Math.sqrt(node + 0.5);
      const angle = node * Math.PI * (3 - Math.sqrt(5));
      this.x[node] = radius * Math.cos(angle);
      this.y[node] = radius * Math.sin(angle);
    }
    for (let edge = 0; edge < sources.length; edge++) {
      this.add(this.degree, sources[edge] ?? 0, 1);
      this.add(this.degree, targets[edge] ?? 0, 1);
    }
  }

  get settled(): boolean {
    return this.heat < SETTLED;
  }

  put(node: number, x: number, y: number): void {
    this.x[node] = x;
    this.y[node] = y;
    this.vx[node] = 0;
    this.vy[node] = 0;
  }

  warm(heat: number): void {
    this.heat = Math.max(this.heat, heat);
  }

  /** Moves every node once. */
  step(): void {
    this.heat -= this.heat * COOLING;
    this.pull();
    this.push();
    for (let node = 0; node < this.count; node++) {
      const x = this.x[node] ?? 0;
      const y = this.y[node] ?? 0;
      if (node === this.held) {
        this.vx[node] = 0;
        this.vy[node] = 0;
        continue;
      }
      // Nothing pulls what cites nothing and is not cited: it would drift to the edge.
      const gravity = GRAVITY * this.heat * (this.degree[node] === 0 ? 2 : 1);
      const vx = ((this.vx[node] ?? 0) - x * gravity) * FRICTION;
      const vy = ((this.vy[node] ?? 0) - y * gravity) * FRICTION;
      this.vx[node] = vx;
      this.vy[node] = vy;
      this.x[node] = x + vx;
      this.y[node] = y + vy;
    }
  }

  private pull(): void {
    for (let edge = 0; edge < this.sources.length; edge++) {
      const source = this.sources[edge] ?? 0;
      const target = this.targets[edge] ?? 0;
      const dx = (this.x[target] ?? 0) - (this.x[source] ?? 0) || 0.01;
      const dy = (this.y[target] ?? 0) - (this.y[source] ?? 0) || 0.01;
      const length = Math.sqrt(dx * dx + dy * dy);
      const from = this.degree[source] ?? 1;
      const to = this.degree[target] ?? 1;
      // What many cite is heavy: its neighbours move rather than it.
      const pull = ((length - REST) / length) * (this.heat / Math.min(from, to));
      const share = from / (from + to);
      this.add(this.vx, target, -dx * pull * share);
      this.add(this.vy, target, -dy * pull * share);
      this.add(this.vx, source, dx * pull * (1 - share));
      this.add(this.vy, source, dy * pull * (1 - share));
    }
  }

  private push(): void {
    this.tree.fill(this.x, this.y);
    for (let node = 0; node < this.count; node++) {
      const force = this.tree.force(node, this.x[node] ?? 0, this.y[node] ?? 0);
      this.add(this.vx, node, force[0] * PUSH * this.heat);
      this.add(this.vy, node, force[1] * PUSH * this.heat);
    }
  }

  private add(values: Float64Array, at: number, more: number): void {
    values[at] = (values[at] ?? 0) + more;
  }
}

/** Squares of squares: each knows how many nodes it holds and where their middle is. */
class Tree {
  /** Four places a square: 0 nothing, n > 0 the square n, n < 0 the node -n - 1. */
  private children: Int32Array;
  private mass: Float64Array;
  private midX: Float64Array;
  private midY: Float64Array;
  private used = 0;
  private left = 0;
  private top = 0;
  private size = 1;
  private x: Float64Array = new Float64Array(0);
  private y: Float64Array = new Float64Array(0);
  private readonly answer: [number, number] = [0, 0];
  private readonly stack: number[] = [];

  constructor(count: number) {
    const squares = 4 * count + 64;
    this.children = new Int32Array(4 * squares);
    this.mass = new Float64Array(squares);
    this.midX = new Float64Array(squares);
    this.midY = new Float64Array(squares);
  }

  fill(x: Float64Array, y: Float64Array): void {
    this.x = x;
    this.y = y;
    let [left, top, right, bottom] = [0, 0, 1, 1];
    for (let node = 0; node < x.length; node++) {
      left = Math.min(left, x[node] ?? 0);
      right = Math.max(right, x[node] ?? 0);
      top = Math.min(top, y[node] ?? 0);
      bottom = Math.max(bottom, y[node] ?? 0);
    }
    this.left = left;
    this.top = top;
    this.size = Math.max(right - left, bottom - top) + 1;
    this.children.fill(0, 0, 4 * this.used);
    this.mass.fill(0, 0, this.used);
    this.midX.fill(0, 0, this.used);
    this.midY.fill(0, 0, this.used);
    // The square 0 stands for nothing, 1 is the whole.
    this.used = 2;
    for (let node = 0; node < x.length; node++) {
      this.insert(node);
    }
  }

  /** How hard everything else pushes a node at a place, in both directions. */
  force(node: number, x: number, y: number): readonly [number, number] {
    let [fx, fy] = [0, 0];
    const { stack } = this;
    stack.length = 0;
    stack.push(1, this.size);
    while (stack.length > 0) {
      const size = stack.pop() ?? 0;
      const square = stack.pop() ?? 0;
      const mass = this.mass[square] ?? 0;
      const dx = x - (this.midX[square] ?? 0) / mass;
      const dy = y - (this.midY[square] ?? 0) / mass;
      const squared = dx * dx + dy * dy;
      if (size * size < FAR * FAR * squared) {
        fx += (dx * mass) / squared;
        fy += (dy * mass) / squared;
        continue;
      }
      for (let quarter = 0; quarter < 4; quarter++) {
        const child = this.children[4 * square + quarter] ?? 0;
        if (child > 0) {
          stack.push(child, size / 2);
        } else if (child < 0 && -child - 1 !== node) {
          const other = -child - 1;
          // Nodes on one spot part in some direction, the same each time.
          const ex = x - (this.x[other] ?? 0) || (node < other ? 0.1 : -0.1);
          const ey = y - (this.y[other] ?? 0) || (node < other ? 0.1 : -0.1);
          const near = Math.max(ex * ex + ey * ey, 4);
          fx += ex / near;
          fy += ey / near;
        }
      }
    }
    this.answer[0] = fx;
    this.answer[1] = fy;
    return this.answer;
  }

  private insert(node: number): void {
    const x = this.x[node] ?? 0;
    const y = this.y[node] ?? 0;
    let square = 1;
    let [left, top, size] = [this.left, this.top, this.size];
    for (let depth = 0; ; depth++) {
      this.weigh(square, x, y);
      size /= 2;
      const east = x >= left + size;
      const south = y >= top + size;
      left += east ? size : 0;
      top += south ? size : 0;
      const place = 4 * square + (east ? 1 : 0) + (south ? 2 : 0);
      const child = this.children[place] ?? 0;
      if (child === 0) {
        this.children[place] = -node - 1;
        return;
      }
      if (child > 0) {
        square = child;
        continue;
      }
      if (depth > DEEPEST) {
        return; // on the spot of another: weighed above, told apart by nobody
      }
      const other = -child - 1;
      const inner = this.newSquare();
      this.children[place] = inner;
      this.weigh(inner, this.x[other] ?? 0, this.y[other] ?? 0);
      const half = size / 2;
      const quarter =
        ((this.x[other] ?? 0) >= left + half ? 1 : 0) + ((this.y[other] ?? 0) >= top + half ? 2 : 0);
      this.children[4 * inner + quarter] = -other - 1;
      square = inner;
    }
  }

  private weigh(square: number, x: number, y: number): void {
    this.mass[square] = (this.mass[square] ?? 0) + 1;
    this.midX[square] = (this.midX[square] ?? 0) + x;
    this.midY[square] = (this.midY[square] ?? 0) + y;
  }

  private newSquare(): number {
    if (this.used === this.mass.length) {
      const more = 2 * this.mass.length;
      this.children = grown(this.children, 4 * more);
      this.mass = grown(this.mass, more);
      this.midX = grown(this.midX, more);
      this.midY = grown(this.midY, more);
    }
    return this.used++;
  }
}

function grown<T extends Int32Array | Float64Array>(values: T, length: number): T {
  const larger = new (values.constructor as new (length: number) => T)(length);
  larger.set(values);
  return larger;
}
