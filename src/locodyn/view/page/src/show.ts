// One run on the page: the picture, its buttons and the charts, all on one clock.
import type { WebGLRenderer } from "three";
import { TimeChart } from "./charts";
import type { Packet } from "./data";
import { BarChart, PlaneChart } from "./drawings";
import { FieldChart } from "./fields";
import { panel } from "./panel";
import { Player, controls } from "./player";
import { Stage } from "./stage";

interface Shown {
  resize(): void;
  recolour(): void;
  dispose(): void;
}

export class Show {
  readonly player: Player;
  readonly stage: Stage | null;
  private readonly parts: Shown[] = [];
  private readonly ends = new AbortController();
  private readonly observer = new ResizeObserver(() => this.fit());

  /** Builds everything into the places that the page has for it; `before`: what is shown there until now, whose canvas goes on. */
  constructor(readonly packet: Packet, before: Show | null = null) {
    const scenes = [packet.scene, ...packet.ghosts.map(({ scene }) => scene)];
    const ends = scenes.map(({ times: { data } }) => [data[0], data[data.length - 1]]);
    this.player = new Player(Math.min(...ends.map(([first]) => first)), Math.max(...ends.map(([, last]) => last)));
    const holder = document.getElementById("stage")!;
    before?.dispose();
    for (const old of holder.querySelectorAll(".views, .shown, .note")) old.remove();
    this.stage = stageOf(packet, holder, before?.stage?.renderer);
    controls(this.player, document.getElementById("controls")!, this.ends.signal);
    if (this.stage) {
      const stage = this.stage;
      panel(stage, holder, this.ends.signal);
      this.player.onTime((t) => stage.seek(t));
      this.observer.observe(holder);
      this.parts.push(stage);
    }
    this.charts();
    this.observer.observe(document.body);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.parts.forEach((part) => part.recolour()), { signal: this.ends.signal });
    this.fit();
    this.player.seek(this.player.start);
  }

  private charts(): void {
    const kinds = { time: TimeChart, log: TimeChart, plane: PlaneChart, bars: BarChart, field: FieldChart };
    for (const chart of this.packet.charts) {
      const holder = document.querySelector<HTMLElement>(`[data-chart="${chart.name}"]`);
      if (!holder) continue;
      holder.replaceChildren();
      this.parts.push(new kinds[chart.kind](chart, this.packet.times, this.player, holder));
    }
  }

  private fit(): void {
    this.parts.forEach((part) => part.resize());
  }

  /** Go on to the wall-clock stamp (ms) of an animation frame. */
  frame(stamp: number): void {
    this.player.advance(stamp);
    this.stage?.draw();
  }

  dispose(): void {
    this.player.pause();
    this.ends.abort();
    this.observer.disconnect();
    this.parts.forEach((part) => part.dispose());
  }
}

/** The picture; null where the browser cannot draw it, which does not stop the charts. */
function stageOf(packet: Packet, holder: HTMLElement, canvas: WebGLRenderer | undefined): Stage | null {
  try {
    const plain = new URLSearchParams(location.search).has("plain");
    return new Stage(packet.scene, packet.ghosts.map(({ scene }) => scene), holder, plain, canvas);
  } catch {
    holder.textContent = "The animation needs a browser with WebGL 2 (any from 2023 on); the curves below do not.";
    return null;
  }
}
