// Single pictures for a video: time goes by seek, never by the clock, so that every picture is the same each time.
import type { Scene } from "./data";
import type { Player } from "./player";
import type { Stage, View } from "./stage";

export class Film {
  private readonly sheet = document.createElement("canvas");

  constructor(private readonly scene: Scene, private readonly player: Player, private readonly stage: Stage) {}

  /** Prepare for pictures of this size (pixels), the first of them at time t. */
  open(width: number, height: number, view: View, follow: boolean | null, t: number): void {
    this.player.pause();
    this.stage.pin(width, height);
    if (follow !== null) this.stage.following = follow;
    this.player.seek(t);
    this.stage.look(view);
    [this.sheet.width, this.sheet.height] = [width, height];
  }

  /** The picture at time t as a data address, with name and time in its corner. */
  shot(t: number, label: boolean, kind: string): string {
    this.player.seek(t);
    this.stage.draw(true);
    const pen = this.sheet.getContext("2d")!;
    pen.drawImage(this.stage.renderer.domElement, 0, 0, this.sheet.width, this.sheet.height);
    if (label) {
      const size = Math.max(13, Math.round(this.sheet.height / 32));
      pen.font = `600 ${size}px system-ui, sans-serif`;
      pen.fillStyle = "#20262b";
      pen.fillText(this.scene.title, size, 1.7 * size);
      pen.font = `${size}px system-ui, sans-serif`;
      pen.fillText(`t = ${t.toFixed(2)} s`, size, 3.1 * size);
    }
    return this.sheet.toDataURL(kind, 0.93);
  }
}
