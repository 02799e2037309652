// Charts that are not curves over time: a plane of two quantities, and bars of the present instant.
import { caption, column, ticks } from "./charts";
import { curveColour, variable } from "./colours";
import type { Chart, Table } from "./data";
import { roundLength } from "./ground";
import { moment, scalar } from "./motion";
import type { Player } from "./player";

const HEIGHT = 240;
const TALL = 340; // of a chart that takes a row
export const LEFT = 58;
const BOTTOM = 34;
export const RIGHT = 14;
const TOP = 10;
const FIXTURE = "#9a8f83"; // as in the stage

interface Span {
  low: number;
  high: number;
}

export function ticksOf(span: Span, wanted: number): number[] {
  const step = roundLength((span.high - span.low) / wanted);
  const found: number[] = [];
  for (let k = Math.ceil(span.low / step - 1e-9); k * step <= span.high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

export function worded(places: number[]): [number, string][] {
  const words = ticks(places);
  return places.map((place, k) => [place, words[k]]);
}

export function padded(values: number[]): Span {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1e-9;
  return { low: low - margin, high: high + margin };
}

/** A canvas with two axes; subclasses paint inside. */
export abstract class Drawing {
  protected readonly canvas = document.createElement("canvas");
  protected readonly pen: CanvasRenderingContext2D;
  protected width = 0;
  protected x: Span = { low: 0, high: 1 };
  protected y: Span = { low: 0, high: 1 };

  constructor(protected readonly chart: Chart, protected readonly times: Table, protected readonly player: Player, protected readonly holder: HTMLElement, protected readonly height = chart.wide ? TALL : HEIGHT) {
    holder.append(this.canvas);
    this.pen = this.canvas.getContext("2d")!;
    player.onTime(() => this.paint());
  }

  protected abstract ranges(): void;
  protected abstract inside(): void;
  protected abstract xTicks(): [number, string][];

  protected yTicks(): [number, string][] {
    return worded(ticksOf(this.y, 5));
  }

  protected labels(): string[] {
    return this.chart.labels;
  }

  resize(): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.holder.clientWidth;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.height = `${this.height}px`;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ranges();
    this.paint();
  }

  recolour(): void {
    this.paint();
  }

  dispose(): void {
    this.canvas.remove();
  }

  protected px(x: number): number {
    const share = (x - this.x.low) / (this.x.high - this.x.low);
    return LEFT + (this.chart.mirrored ? 1 - share : share) * (this.width - LEFT - RIGHT);
  }

  protected py(y: number): number {
    return this.height - BOTTOM - ((y - this.y.low) / (this.y.high - this.y.low)) * (this.height - BOTTOM - TOP);
  }

  protected paint(): void {
    if (!this.width) return;
    const pen = this.pen;
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = variable("--faint");
    pen.strokeStyle = variable("--line");
    pen.lineWidth = 1;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const [x, word] of this.xTicks()) {
      this.stroke([[x, this.y.low], [x, this.y.high]]);
      pen.fillText(word, this.px(x), this.height - BOTTOM + 5);
    }
    pen.fillText(this.labels()[0] ?? "", LEFT + (this.width - LEFT - RIGHT) / 2, this.height - 14);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [y, word] of this.yTicks()) {
      this.stroke([[this.x.low, y], [this.x.high, y]]);
      pen.fillText(word, LEFT - 6, this.py(y));
    }
    const [, label] = this.labels();
    if (label) {
      pen.save();
      pen.translate(10, (this.height - BOTTOM) / 2);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "center";
      pen.fillText(label, 0, 0);
      pen.restore();
    }
    this.inside();
  }

  protected stroke(points: [number, number][]): void {
    this.pen.beginPath();
    points.forEach(([x, y], k) => (k ? this.pen.lineTo(this.px(x), this.py(y)) : this.pen.moveTo(this.px(x), this.py(y))));
    this.pen.stroke();
  }

  protected dot(x: number, y: number, radius: number, colour: string): void {
    this.pen.beginPath();
    this.pen.arc(this.px(x), this.py(y), radius, 0, 2 * Math.PI);
    this.pen.fillStyle = colour;
    this.pen.fill();
  }
}

/** Curves in a plane (paths, phase portraits) with a dot that moves along; a click goes to the nearest instant. */
export class PlaneChart extends Drawing {
  private readonly curves: [number[], number[]][];
  private readonly others: [number[], number[]][]; // of other runs

  constructor(chart: Chart, times: Table, player: Player, holder: HTMLElement) {
    caption(chart, holder);
    super(chart, times, player, holder);
    const curves = (table: Table) => chart.names.map((_, k): [number[], number[]] => [column(table, 2 * k), column(table, 2 * k + 1)]);
    this.curves = curves(chart.values);
    this.others = chart.ghosts.flatMap(({ values }) => curves(values));
    this.canvas.style.cursor = "crosshair";
    this.canvas.addEventListener("click", (event) => this.jump(event.offsetX, event.offsetY));
    if (chart.names.length > 1) {
      const legend = document.createElement("div");
      legend.className = "names";
      chart.names.forEach((name, k) => {
        const entry = document.createElement("span");
        entry.textContent = name;
        entry.style.setProperty("--colour", curveColour(k, chart.names.length));
        legend.append(entry);
      });
      holder.querySelector("figcaption")!.append(legend);
    }
  }

  protected ranges(): void {
    const corners = this.chart.pictures.flat(2);
    const all = [...this.curves, ...this.others];
    this.x = padded([...all.flatMap(([x]) => x), ...corners.map(([x]) => x)]);
    this.y = padded([...all.flatMap(([, y]) => y), ...corners.map(([, y]) => y)]);
    if (!this.chart.equal) return;
    const across = (this.x.high - this.x.low) / (this.width - LEFT - RIGHT);
    const up = (this.y.high - this.y.low) / (this.height - BOTTOM - TOP);
    const [narrow, factor] = across > up ? [this.y, across / up] : [this.x, up / across];
    const middle = (narrow.low + narrow.high) / 2;
    const half = ((narrow.high - narrow.low) / 2) * factor;
    [narrow.low, narrow.high] = [middle - half, middle + half];
  }

  protected xTicks(): [number, string][] {
    return worded(ticksOf(this.x, 6));
  }

  protected inside(): void {
    this.robots();
    const at = moment(this.times.data, this.player.time);
    this.pen.lineWidth = 1.1;
    this.pen.setLineDash([6, 4]);
    this.others.forEach(([x, y], k) => {
      this.pen.strokeStyle = curveColour(k % this.curves.length, this.curves.length);
      this.stroke(x.map((value, i) => [value, y[i]]));
    });
    this.pen.setLineDash([]);
    this.curves.forEach(([x, y], k) => {
      const colour = curveColour(k, this.curves.length);
      this.pen.strokeStyle = colour;
      this.pen.lineWidth = 1.8;
      this.pen.lineJoin = "round";
      this.pen.globalAlpha = 0.35;
      this.stroke(x.map((value, i) => [value, y[i]]));
      this.pen.globalAlpha = 1;
      this.stroke(x.slice(0, at.k + 1).map((value, i) => [value, y[i]]));
      this.dot(scalar(this.chart.values, at, 2 * k), scalar(this.chart.values, at, 2 * k + 1), 4.5, colour);
    });
  }

  /** What stands in the world, and the robot at a few instants. */
  private robots(): void {
    const pen = this.pen;
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, this.width - LEFT - RIGHT, this.height - BOTTOM - TOP);
    pen.clip();
    pen.lineWidth = 0.6;
    pen.strokeStyle = variable("--faint");
    this.fill(this.chart.fixtures, FIXTURE, 1);
    this.fill(this.chart.pictures.flat(), variable("--line"), 0.6);
    pen.restore();
  }

  private fill(polygons: [number, number][][], colour: string, alpha: number): void {
    const pen = this.pen;
    pen.fillStyle = colour;
    for (const polygon of polygons) {
      pen.beginPath();
      for (const [x, y] of polygon) pen.lineTo(this.px(x), this.py(y));
      pen.closePath();
      pen.globalAlpha = alpha;
      pen.fill();
      pen.globalAlpha = 1;
      pen.stroke();
    }
  }

  private jump(left: number, top: number): void {
    let [best, nearest] = [0, Infinity];
    for (const [x, y] of this.curves) {
      x.forEach((value, i) => {
        const apart = (this.px(value) - left) ** 2 + (this.py(y[i]) - top) ** 2;
        if (apart < nearest) [best, nearest] = [i, apart];
      });
    }
    this.player.seek(this.times.data[best]);
  }
}

/** All values of the present instant as bars. */
export class BarChart extends Drawing {
  constructor(chart: Chart, times: Table, player: Player, holder: HTMLElement) {
    caption(chart, holder);
    super(chart, times, player, holder);
  }

  protected ranges(): void {
    this.x = { low: -0.7, high: this.chart.names.length - 0.3 };
    this.y = padded([...this.chart.values.data, 0]);
  }

  protected xTicks(): [number, string][] {
    const names = this.chart.names.map((name) => name.replace(/^joint_/, ""));
    const widest = Math.max(...names.map((name) => this.pen.measureText(name).width)) + 8;
    const step = Math.max(1, Math.ceil((names.length * widest) / (this.width - LEFT - RIGHT)));
    return names.flatMap((name, k) => (k % step ? [] : [[k, name] as [number, string]]));
  }

  protected inside(): void {
    const at = moment(this.times.data, this.player.time);
    this.pen.strokeStyle = variable("--faint");
    this.stroke([[this.x.low, 0], [this.x.high, 0]]);
    this.pen.fillStyle = curveColour(0, 1);
    this.chart.names.forEach((_, k) => {
      const value = scalar(this.chart.values, at, k);
      const [left, right] = [this.px(k - 0.35), this.px(k + 0.35)];
      this.pen.fillRect(left, Math.min(this.py(0), this.py(value)), right - left, Math.abs(this.py(value) - this.py(0)));
    });
  }
}
