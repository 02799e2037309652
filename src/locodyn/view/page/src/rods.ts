// Rods: tubes about moving centre lines, coloured by a quantity along them.
import * as three from "three";
import { cividis } from "./colours";
import type { Rod } from "./data";
import { type Moment, scalar, vector } from "./motion";

const SIDES = 14;

/** One rod. Sections are carried along the centre line without twisting (parallel transport); the ends are closed. */
export class Tube {
  readonly mesh: three.Mesh;
  range: [number, number]; // of its quantity

  constructor(readonly rod: Rod, material: three.Material) {
    const sections = rod.centre.shape[1];
    const geometry = new three.BufferGeometry();
    const count = sections * SIDES + 2; // the last two are the middles of the ends
    geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * count), 3));
    geometry.setAttribute("color", new three.BufferAttribute(new Float32Array(3 * count), 3));
    const faces: number[] = [];
    for (let j = 0; j < SIDES; j++) {
      const next = (j + 1) % SIDES;
      for (let i = 0; i + 1 < sections; i++) {
        const [a, b, c, d] = [i * SIDES + j, i * SIDES + next, (i + 1) * SIDES + j, (i + 1) * SIDES + next];
        faces.push(a, b, d, a, d, c);
      }
      const last = (sections - 1) * SIDES;
      faces.push(sections * SIDES, next, j, sections * SIDES + 1, last + j, last + next);
    }
    geometry.setIndex(faces);
    this.mesh = new three.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    const values = rod.scalar?.data ?? [0, 1];
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const varies = high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high));
    this.range = varies ? [low, high] : [high, high]; // round-off is no pattern
  }

  update(at: Moment): void {
    const { centre, radius } = this.rod;
    const sections = centre.shape[1];
    const points = Array.from({ length: sections }, (_, i) => vector(centre, at, i, new three.Vector3()));
    const places = this.mesh.geometry.getAttribute("position") as three.BufferAttribute;
    const colours = this.mesh.geometry.getAttribute("color") as three.BufferAttribute;
    const tangent = new three.Vector3();
    const before = new three.Vector3();
    const first = new three.Vector3();
    const second = new three.Vector3();
    const carry = new three.Quaternion();
    for (let i = 0; i < sections; i++) {
      tangent.subVectors(points[Math.min(i + 1, sections - 1)], points[Math.max(i - 1, 0)]).normalize();
      if (i === 0) {
        first.set(Math.abs(tangent.x) < 0.8 ? 1 : 0, Math.abs(tangent.x) < 0.8 ? 0 : 1, 0);
        first.cross(tangent).normalize();
      } else {
        first.applyQuaternion(carry.setFromUnitVectors(before, tangent));
      }
      before.copy(tangent);
      second.crossVectors(tangent, first);
      const colour = this.colour(at, i);
      const thick = scalar(radius, at, i);
      for (let j = 0; j < SIDES; j++) {
        const angle = (2 * Math.PI * j) / SIDES;
        const [c, s] = [thick * Math.cos(angle), thick * Math.sin(angle)];
        const p = points[i];
        places.setXYZ(
          i * SIDES + j, p.x + c * first.x + s * second.x, p.y + c * first.y + s * second.y, p.z + c * first.z + s * second.z,
        );
        colours.setXYZ(i * SIDES + j, ...colour);
      }
      if (i === 0 || i === sections - 1) {
        const end = sections * SIDES + (i === 0 ? 0 : 1);
        places.setXYZ(end, points[i].x, points[i].y, points[i].z);
        colours.setXYZ(end, ...colour);
      }
    }
    places.needsUpdate = colours.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
  }

  private colour(at: Moment, section: number): [number, number, number] {
    if (!this.rod.scalar) return [0.16, 0.5, 0.42];
    const share = (scalar(this.rod.scalar, at, section) - this.range[0]) / (this.range[1] - this.range[0] || 1);
    const [r, g, b] = cividis(share);
    return [r ** 2.2, g ** 2.2, b ** 2.2]; // three.js reads vertex colours as linear
  }
}
