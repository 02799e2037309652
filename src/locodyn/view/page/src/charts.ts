// Curves over time with a common time cursor: a click goes to that instant, a drag enlarges, a double click goes back.
import uPlot from "uplot";
import { DASHES, MANY, PALETTE, cividis, css, curveColour, variable } from "./colours";
import type { Chart, Table } from "./data";
import { moment } from "./motion";
import type { Player } from "./player";

const HEIGHT = 168;
const SUPPLIED = "supplied"; // drawn over the energy that it should be, as in print

/** Numbers of a chart with four digits, or in powers of ten. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return Number(value.toPrecision(3)).toExponential().replaceAll("-", "−").replace("e+", "e");
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/** Ticks with as many digits as tell neighbours apart. */
export function ticks(places: (number | null)[]): string[] {
  const known = places.filter((place): place is number => place !== null);
  const size = Math.max(...known.map(Math.abs), 0);
  const step = Math.min(...known.slice(1).map((place, k) => Math.abs(place - known[k])));
  const digits = Math.min(9, Math.max(4, Math.ceil(Math.log10(size / step) - 1e-9) + 2));
  if (!(digits > 4)) return places.map((place) => (place === null ? "" : short(place)));
  return places.map((place) => (place === null ? "" : String(Number(place.toPrecision(digits))).replace("-", "−")));
}

export function column(table: Table, k: number): number[] {
  const width = table.data.length / table.shape[0];
  return Array.from({ length: table.shape[0] }, (_, row) => table.data[row * width + k]);
}

/** Heading and legend of a chart. */
export function caption(chart: Chart, into: HTMLElement): void {
  const head = document.createElement("figcaption");
  const title = document.createElement("b");
  title.textContent = chart.kind === "bars" ? `${chart.title}, now` : chart.title;
  const unit = document.createElement("span");
  unit.textContent = chart.unit;
  head.append(title, unit);
  into.append(head);
}

/** The range of the axis: what uPlot would take, and what it must cover at least. */
function covering(span: [number, number] | null): uPlot.Scale.Range {
  return (_, low, high) => {
    const [from, to] = uPlot.rangeNum(low ?? 0, high ?? 1, 0.1, true);
    return span ? [Math.min(from!, span[0]), Math.max(to!, span[1])] : [from, to];
  };
}

/** Dotted lines at a value and at instants, with a word. */
function marks(chart: Chart): (plot: uPlot) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    const ratio = window.devicePixelRatio || 1;
    const line = (x1: number, y1: number, x2: number, y2: number) => {
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      ctx.stroke();
    };
    ctx.save();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.lineWidth = ratio;
    ctx.strokeStyle = ctx.fillStyle = variable("--ink");
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    if (chart.level !== null) {
      const y = plot.valToPos(chart.level, "y", true);
      line(bbox.left, y, bbox.left + bbox.width, y);
    }
    for (const [t, word] of chart.marks) {
      const x = plot.valToPos(t, "x", true);
      line(x, bbox.top, x, bbox.top + bbox.height);
      ctx.fillText(word, x + 4 * ratio, bbox.top + bbox.height - 3 * ratio);
    }
    ctx.restore();
  };
}

/** Powers of ten between two numbers, seven at most. */
function decades(_: uPlot, __: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((last - first) / 6));
  const found: number[] = [];
  for (let k = first; k <= last; k += step) found.push(10 ** k);
  return found;
}

function scaleLegend(chart: Chart): HTMLElement {
  const strip = document.createElement("div");
  strip.className = "scale";
  const steps = Array.from({ length: 10 }, (_, k) => css(cividis(k / 9)));
  strip.innerHTML = `<span></span><i style="background:linear-gradient(90deg,${steps.join(",")})"></i><span></span>`;
  strip.firstElementChild!.textContent = chart.names[0];
  strip.lastElementChild!.textContent = chart.names[chart.names.length - 1];
  return strip;
}

const DASHED = [6, 4]; // other runs

function series(chart: Chart): uPlot.Series[] {
  const many = chart.names.length > MANY;
  const own: uPlot.Series[] = chart.names.map((label, k) => ({
    label,
    stroke: () => (label === SUPPLIED ? variable("--ink") : curveColour(k, chart.names.length)),
    width: many ? 1.1 : 1.8,
    dash: label === SUPPLIED ? [2, 4] : many ? undefined : DASHES[Math.floor(k / PALETTE.length) % DASHES.length],
    value: (_: uPlot, value: number) => short(value),
    points: { show: false },
  }));
  const others = chart.ghosts.flatMap(({ name }) => own.map((one) => ({ ...one, label: `${one.label} (${name})`, width: 1.1, dash: DASHED })));
  return [...own, ...others];
}

export class TimeChart {
  private readonly plot: uPlot;
  private readonly now = document.createElement("div");
  private hovered = false;

  constructor(chart: Chart, private readonly times: Table, private readonly player: Player, private readonly holder: HTMLElement) {
    caption(chart, holder);
    const many = chart.names.length > MANY;
    const stamps = Array.from(times.data);
    const tables = [chart.values, ...chart.ghosts.map(({ values }) => values)];
    const columns = tables.flatMap((table) => chart.names.map((_, k) => column(table, k) as (number | null)[]));
    for (const values of columns) values.forEach((v, i) => Number.isNaN(v) && (values[i] = null)); // a gap
    if (chart.kind === "log") for (const values of columns) values.forEach((v, i) => v !== null && v <= 0 && (values[i] = 1e-17));
    const log = chart.kind === "log";
    const grid = { stroke: () => variable("--line"), width: 1 };
    const marked = { ...grid, size: 4 };
    const font = "11px system-ui, sans-serif";
    const stroke = () => variable("--faint");
    this.plot = new uPlot(
      {
        width: holder.clientWidth || 480,
        height: HEIGHT,
        scales: { x: { time: false }, y: log ? { distr: 3 } : { range: covering(chart.span) } },
        hooks: { draw: [marks(chart)] },
        cursor: { sync: { key: "time", scales: ["x", null] }, drag: { x: true, y: false }, points: { size: 6 } },
        legend: { show: !many && chart.names.length > 0, live: true },
        axes: [
          { stroke, grid, ticks: marked, font, size: 26, gap: 3, values: (_, splits) => ticks(splits) },
          { stroke, grid, ticks: marked, font, size: 58, gap: 4, ...(log ? { splits: decades } : {}), values: (_, splits) => (log ? splits.map((s) => (s === null ? "" : short(s))) : ticks(splits)) },
        ],
        series: [{ label: "t", value: (_, t) => (t === null ? "–" : `${short(t)} s`) }, ...series(chart)],
      },
      [stamps, ...columns],
      holder,
    );
    if (many) holder.querySelector("figcaption")!.append(scaleLegend(chart));
    this.now.className = "now";
    this.plot.over.append(this.now);
    this.listen();
    player.onTime((t) => this.mark(t));
  }

  private listen(): void {
    const over = this.plot.over;
    let pressed = 0;
    over.addEventListener("mouseenter", () => (this.hovered = true));
    over.addEventListener("mouseleave", () => {
      this.hovered = false;
      this.mark(this.player.time);
    });
    over.addEventListener("mousedown", (event) => (pressed = event.clientX));
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressed) > 3) return;
      const left = event.clientX - over.getBoundingClientRect().left;
      this.player.seek(this.plot.posToVal(left, "x"));
    });
  }

  private mark(t: number): void {
    if (!this.hovered) this.plot.setLegend({ idx: this.nearest(t) }, false);
    const left = this.plot.valToPos(t, "x");
    const inside = left >= -0.5 && left <= this.plot.over.clientWidth + 0.5;
    this.now.style.transform = `translateX(${left}px)`;
    this.now.style.visibility = inside ? "visible" : "hidden";
  }

  private nearest(t: number): number {
    const at = moment(this.times.data, t);
    return at.share > 0.5 ? at.k + 1 : at.k;
  }

  resize(): void {
    this.plot.setSize({ width: this.holder.clientWidth, height: HEIGHT });
    this.mark(this.player.time);
  }

  recolour(): void {
    this.plot.redraw(false);
  }

  dispose(): void {
    this.plot.destroy();
  }
}
