// The ground: a grid that is drawn in a shader, so that no line can be lost, and a plane that takes shadows; or heights.
import * as three from "three";
import type { Scene } from "./data";

/** A length of 1, 2 or 5 times a power of ten near a wanted one. */
export function roundLength(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const share = wanted / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

const VERTEX = `
  varying vec2 place;
  varying vec2 apart;
  uniform vec2 centre;
  void main() {
    apart = position.xy;
    place = position.xy + centre; // fixed to the world while the plane moves along
    gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
  }`;
const FRAGMENT = `
  varying vec2 place;
  varying vec2 apart;
  uniform vec3 line;
  uniform vec3 base;
  uniform float cell;
  uniform float reach;
  uniform float solid;
  float lines(float size, float width) {
    vec2 at = place / size;
    vec2 off = abs(fract(at - 0.5) - 0.5) / max(fwidth(at), vec2(1e-6));
    return 1.0 - min(min(off.x, off.y) / width, 1.0);
  }
  void main() {
    float far = length(apart) / reach;
    float fade = 1.0 - smoothstep(0.2, 1.0, far);
    float mark = max(0.42 * lines(cell, 1.0), 0.85 * lines(5.0 * cell, 1.25));
    float alpha = max(mark * 0.75, solid) * fade;
    gl_FragColor = vec4(mix(base, line, mark * 0.75), alpha);
    #include <colorspace_fragment>
  }`;

export class GroundPlane {
  readonly root = new three.Group();
  readonly cell: number;
  private readonly uniforms: Record<string, three.IUniform>;
  private readonly anchor = new three.Vector3();
  private readonly axes = [new three.Vector3(1, 0, 0), new three.Vector3(0, 1, 0)];

  constructor(private readonly scene: Scene) {
    this.cell = roundLength(scene.size / 3);
    const reach = 22 * scene.size;
    this.uniforms = {
      line: { value: new three.Color(0x7d8c99) },
      base: { value: new three.Color(0xf3f5f7) },
      centre: { value: new three.Vector2() },
      cell: { value: this.cell },
      reach: { value: reach },
      solid: { value: scene.ground?.solid ? 1 : 0 },
    };
    if (scene.terrain) this.root.add(terrain(scene.terrain));
    if (!scene.ground) return;
    const grid = new three.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, transparent: true,
      side: three.DoubleSide, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2,
    });
    const plane = new three.PlaneGeometry(2 * reach, 2 * reach);
    const lines = new three.Mesh(plane, grid);
    const shade = new three.Mesh(plane, new three.ShadowMaterial({ opacity: 0.22, polygonOffset: true, polygonOffsetFactor: 1 }));
    shade.receiveShadow = scene.ground.solid;
    shade.visible = scene.ground.solid;
    lines.renderOrder = -2;
    shade.renderOrder = -1;
    this.root.add(lines, shade);
    this.anchor.fromArray(scene.ground.point);
    this.root.position.copy(this.anchor);
    this.root.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), new three.Vector3().fromArray(scene.ground.normal));
    for (const axis of this.axes) axis.applyQuaternion(this.root.quaternion);
  }

  /** Keep the plane below a point: it has no end. */
  follow(point: three.Vector3): void {
    if (!this.scene.ground) return;
    const [first, second] = this.axes.map((axis) => axis.dot(point) - axis.dot(this.anchor));
    this.root.position.copy(this.anchor).addScaledVector(this.axes[0], first).addScaledVector(this.axes[1], second);
    const at = this.root.position;
    (this.uniforms.centre.value as three.Vector2).set(this.axes[0].dot(at), this.axes[1].dot(at));
  }

  colours(line: string, base: string): void {
    (this.uniforms.line.value as three.Color).set(line);
    (this.uniforms.base.value as three.Color).set(base);
  }
}

function terrain(about: NonNullable<Scene["terrain"]>): three.Mesh {
  const [nx, ny] = about.heights.shape;
  const places = new Float32Array(3 * nx * ny);
  for (let i = 0; i < nx; i++) {
    for (let j = 0; j < ny; j++) {
      const k = i * ny + j;
      places.set([about.origin[0] + i * about.spacing[0], about.origin[1] + j * about.spacing[1], about.heights.data[k]], 3 * k);
    }
  }
  const faces: number[] = [];
  for (let i = 0; i + 1 < nx; i++) {
    for (let j = 0; j + 1 < ny; j++) {
      const [a, b, c, d] = [i * ny + j, (i + 1) * ny + j, (i + 1) * ny + j + 1, i * ny + j + 1];
      faces.push(a, b, c, a, c, d);
    }
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(places, 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  const mesh = new three.Mesh(geometry, new three.MeshLambertMaterial({ color: 0xd9d4cc, side: three.DoubleSide }));
  mesh.receiveShadow = true;
  return mesh;
}
