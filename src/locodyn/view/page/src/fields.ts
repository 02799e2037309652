// Fields along rods: an image over time and arc length, and below it the curve along each rod at the present instant.
import { caption, short } from "./charts";
import { cividis, css, curveColour, diverging, variable } from "./colours";
import type { Chart, Table } from "./data";
import { Drawing, LEFT, RIGHT, padded, ticksOf, worded } from "./drawings";
import { moment, scalar } from "./motion";
import type { Player } from "./player";

const IMAGE = 150;
const CURVES = 140;
const BOTH = 0.05; // of the largest value: the other sign counts from here on, as in print
const GAP = 0.06; // between two rods, over the length of one, as in print

/** A scale of colours; it has the level in its middle where values are on both sides of it. */
interface Scale {
  low: number;
  high: number;
  colour(x: number): [number, number, number];
}

/** From the lowest to the highest of all values and the level. */
function spanOf(chart: Chart): [number, number] {
  const values = chart.values.data;
  let [low, high] = [chart.level ?? 0, chart.level ?? 0];
  for (let i = 0; i < values.length; i++) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
  return [low, high];
}

function scaleOf(chart: Chart): Scale {
  const level = chart.level ?? 0;
  const [low, high] = spanOf(chart);
  const size = Math.max(level - low, high - level);
  const both = Math.min(level - low, high - level) > BOTH * size;
  return both ? { low: level - size, high: level + size, colour: diverging } : { low, high, colour: cividis };
}

function legend(scale: Scale): HTMLElement {
  const strip = document.createElement("div");
  strip.className = "scale";
  const steps = Array.from({ length: 10 }, (_, k) => css(scale.colour(k / 9)));
  strip.innerHTML = `<span>${short(scale.low)}</span><i style="background:linear-gradient(90deg,${steps.join(",")})"></i><span>${short(scale.high)}</span>`;
  return strip;
}

/** The image: time to the right, each rod upwards; a click goes to that instant. */
class Image extends Drawing {
  private readonly pixels: HTMLCanvasElement[];

  constructor(chart: Chart, times: Table, player: Player, holder: HTMLElement, scale: Scale) {
    super(chart, times, player, holder, IMAGE + (chart.names.length - 1) * 40);
    this.pixels = chart.names.map((_, k) => this.coloured(k, scale));
    this.canvas.className = "image";
    this.canvas.style.cursor = "crosshair";
    this.canvas.addEventListener("click", (event) => {
      const share = (event.offsetX - LEFT) / (this.width - LEFT - RIGHT);
      player.seek(this.x.low + Math.min(Math.max(share, 0), 1) * (this.x.high - this.x.low));
    });
  }

  /** Rod k at all times, a pixel for each record and place. */
  private coloured(k: number, scale: Scale): HTMLCanvasElement {
    const [n, rods, places] = this.chart.values.shape;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [n, places];
    const pen = canvas.getContext("2d")!;
    const image = pen.createImageData(n, places);
    for (let row = 0; row < n; row++) {
      for (let place = 0; place < places; place++) {
        const value = this.chart.values.data[(row * rods + k) * places + place];
        const colour = scale.colour((value - scale.low) / (scale.high - scale.low || 1));
        const at = 4 * ((places - 1 - place) * n + row); // the first line of an image is its top: the tip
        colour.forEach((part, i) => (image.data[at + i] = 255 * part));
        image.data[at + 3] = 255;
      }
    }
    pen.putImageData(image, 0, 0);
    return canvas;
  }

  protected ranges(): void {
    const times = this.times.data;
    this.x = { low: times[0], high: times[times.length - 1] };
    this.y = { low: 0, high: this.chart.names.length * (1 + GAP) - GAP };
  }

  protected xTicks(): [number, string][] {
    return worded(ticksOf(this.x, 6));
  }

  protected yTicks(): [number, string][] {
    if (this.chart.names.length === 1) return [[0, "0"], [0.5, "0.5"], [1, "1"]];
    return this.chart.names.map((name, k) => [k * (1 + GAP) + 0.5, name]);
  }

  protected labels(): string[] {
    return [this.chart.labels[0], this.chart.names.length === 1 ? this.chart.labels[1] : ""];
  }

  protected inside(): void {
    const wide = this.width - LEFT - RIGHT;
    this.pen.imageSmoothingEnabled = true;
    this.pixels.forEach((pixels, k) => {
      const [top, bottom] = [this.py(k * (1 + GAP) + 1), this.py(k * (1 + GAP))];
      this.pen.drawImage(pixels, LEFT, top, wide, bottom - top);
    });
    this.pen.strokeStyle = "#000";
    this.pen.lineWidth = 1.5;
    this.stroke([[this.player.time, this.y.low], [this.player.time, this.y.high]]);
  }
}

/** The curve along each rod at the present instant, on axes that hold those of all instants. */
class Profile extends Drawing {
  constructor(chart: Chart, times: Table, player: Player, holder: HTMLElement) {
    super(chart, times, player, holder, CURVES);
  }

  protected ranges(): void {
    this.x = { low: 0, high: 1 };
    this.y = padded(spanOf(this.chart));
  }

  protected xTicks(): [number, string][] {
    return worded([0, 0.25, 0.5, 0.75, 1]);
  }

  protected yTicks(): [number, string][] {
    return worded(ticksOf(this.y, 3));
  }

  protected labels(): string[] {
    return [`${this.chart.labels[1]}, now`, ""];
  }

  protected inside(): void {
    const [, rods, places] = this.chart.values.shape;
    const at = moment(this.times.data, this.player.time);
    this.pen.strokeStyle = variable("--faint");
    this.stroke([[0, this.chart.level ?? 0], [1, this.chart.level ?? 0]]);
    this.pen.lineWidth = 1.8;
    for (let k = 0; k < rods; k++) {
      this.pen.strokeStyle = curveColour(k, rods);
      this.stroke(Array.from({ length: places }, (_, place) => [place / (places - 1), scalar(this.chart.values, at, k * places + place)]));
    }
  }
}

export class FieldChart {
  private readonly parts: Drawing[];

  constructor(chart: Chart, times: Table, player: Player, holder: HTMLElement) {
    caption(chart, holder);
    const scale = scaleOf(chart);
    holder.querySelector("figcaption")!.append(legend(scale));
    this.parts = [new Image(chart, times, player, holder, scale), new Profile(chart, times, player, holder)];
  }

  resize(): void {
    this.parts.forEach((part) => part.resize());
  }

  recolour(): void {
    this.parts.forEach((part) => part.recolour());
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }
}
