// What the page shows, as Python packs it (locodyn/view/pack.py, scene.py, charts.py). Lengths in m, angles in rad, times in s.

export interface Table {
  data: Float32Array | Uint32Array;
  shape: number[];
}

export interface Part {
  kind: "box" | "ellipsoid" | "sphere" | "cylinder" | "capsule" | "mesh";
  at: number[];
  quaternion: number[]; // w, x, y, z
  lengths: { size?: number[]; semi_axes?: number[]; radius?: number; length?: number };
  vertices: Table | null;
  triangles: Table | null;
  role: "body" | "joint" | "tyre" | "ball" | "anchor" | "fixture";
  colour: number[] | null; // red, green, blue, opacity in 0..1, instead of the colour of its role
}

export interface Body {
  name: string;
  parts: Part[];
  depth: number;
}

export interface Wheel {
  name: string;
  body: string;
  kind: string;
  contact: number[];
  places: number[][];
  axle: number[];
  vertical: number[];
  radius: number;
}

export interface Rod {
  name: string;
  centre: Table; // (n, s, 3)
  radius: Table; // (n, s)
  scalar: Table | null; // (n, s)
  scalar_label: string;
}

export interface Scene {
  title: string;
  times: Table;
  bodies: Body[];
  positions: Table; // (n, b, 3)
  orientations: Table; // (n, b, 4)
  wheels: Wheel[];
  wheel_turn: Table;
  wheel_steer: Table;
  contacts: { names: string[]; points: Table; forces: Table; scale: number } | null;
  trails: { name: string; points: Table; shown: boolean }[];
  mass_centre: Table | null;
  frames: { name: string; body: string; at: number[]; quaternion: number[] }[];
  rods: Rod[];
  tendons: { name: string; points: Table }[];
  fixtures: Part[];
  ground: { point: number[]; normal: number[]; solid: boolean } | null;
  terrain: { origin: number[]; spacing: number[]; heights: Table } | null;
  lift: number[];
  up: number[];
  extreme: Table; // (k, 3): points that a picture of all must show
  size: number;
}

export interface Chart {
  name: string;
  title: string;
  kind: "time" | "log" | "plane" | "bars" | "field";
  unit: string;
  names: string[];
  values: Table; // (n, k); of a plane (n, 2 k): x and y of each curve; of a field (n, k, s): k rods, from root to tip
  labels: string[]; // of a plane or a field: its two axes
  equal: boolean;
  span: [number, number] | null; // of curves over time: what the axis covers at least
  level: number | null; // and a value that is marked; of a field: where it is at rest
  marks: [number, string][]; // and instants that are marked
  pictures: [number, number][][][]; // of a plane: outlines of the robot at a few instants
  fixtures: [number, number][][]; // of a plane: outlines of what stands in the world
  mirrored: boolean; // of a plane: the first axis goes to the left
  wide: boolean;
  ghosts: { name: string; values: Table }[]; // the same curves of other runs: over time NaN where they have ended, in a plane (m, 2 k)
}

export interface Packet {
  scene: Scene;
  times: Table; // of the charts
  charts: Chart[];
  ghosts: { name: string; scene: Scene }[]; // other runs
}

/** Bytes of a base64 text. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}

/** Bytes with gzip undone. */
async function inflate(bytes: BlobPart): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

interface Entry {
  array: number;
  kind: "i16" | "turn" | "f32" | "u32";
  shape: number[];
  middle: number;
  step: number;
}

function table(entry: Entry, buffer: ArrayBuffer, base: number): Table {
  const count = entry.shape.reduce((a, b) => a * b, 1);
  const start = base + entry.array;
  if (entry.kind === "f32") return { data: new Float32Array(buffer, start, count), shape: entry.shape };
  if (entry.kind === "u32") return { data: new Uint32Array(buffer, start, count), shape: entry.shape };
  const steps = new Int16Array(buffer, start, count);
  const data = new Float32Array(count);
  const rows = entry.shape[0];
  const columns = rows ? count / rows : 0;
  for (let c = 0; c < columns; c++) {
    let level = 0;
    for (let r = 0; r < rows; r++) {
      level += steps[c * rows + r];
      if (entry.kind === "i16") level = (level << 16) >> 16; // differences are modulo 2^16
      data[r * columns + c] = entry.kind === "i16" ? entry.middle + entry.step * level : (level * 2 * Math.PI) / 65536;
    }
  }
  return { data, shape: entry.shape };
}

function revive(value: unknown, buffer: ArrayBuffer, base: number): unknown {
  if (Array.isArray(value)) return value.map((item) => revive(item, buffer, base));
  if (value === null || typeof value !== "object") return value;
  if ("array" in value && "kind" in value && "shape" in value) return table(value as Entry, buffer, base);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item, buffer, base)]));
}

/** The packet of a page from its bytes. */
export async function unpack(bytes: BlobPart): Promise<Packet> {
  const buffer = await inflate(bytes);
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return revive(header, buffer, 4 + length) as Packet;
}
