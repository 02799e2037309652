// The three-dimensional picture: lights, camera, everything that is drawn. It draws only when something has changed.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Bodies } from "./bodies";
import { variable } from "./colours";
import type { Scene } from "./data";
import { Ghost } from "./ghost";
import { GroundPlane } from "./ground";
import { Forces, MassCentre, Trail } from "./marks";
import { type Moment, moment, vector } from "./motion";
import { Tube } from "./rods";

export type View = "free" | "top" | "side" | "front";
const DIRECTIONS: Record<View, [number, number, number]> = {
  free: [0.55, -0.85, 0.55], top: [0, -0.0001, 1], side: [0, -1, 0.05], front: [1, 0, 0.05],
};
const ANGLE = 32; // of the camera, degrees
const TENDON = 0xb03060;
const FAR = 3; // sizes of the robot: a way so long makes the camera follow

export class Stage {
  readonly renderer: three.WebGLRenderer;
  readonly camera: three.PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly bodies: Bodies;
  readonly forces: Forces;
  readonly trails: Trail[];
  readonly tubes: Tube[];
  readonly centre: MassCentre;
  readonly ground: GroundPlane;
  following = false;
  private readonly world = new three.Scene();
  private readonly sun = new three.DirectionalLight(0xffffff, 2.0);
  private readonly tendons: Tube[];
  private readonly ghosts: Ghost[];
  private readonly shown = new three.Vector3(); // the point that the camera looks after
  private readonly extent = new three.Box3();
  private readonly points: three.Vector3[]; // that a picture of all must show
  private dirty = true;
  private pinned = false; // the size is that of a film, not of the page
  private now: Moment = { k: 0, share: 0 };

  /** `canvas`: of a stage before this one, which has been taken down. */
  constructor(readonly scene: Scene, ghosts: Scene[], private readonly holder: HTMLElement, plain: boolean, canvas?: three.WebGLRenderer) {
    this.renderer = canvas ?? new three.WebGLRenderer({ antialias: !plain });
    this.renderer.shadowMap.enabled = true;
    this.renderer.setPixelRatio(plain ? 1 : Math.min(window.devicePixelRatio, 2));
    holder.prepend(this.renderer.domElement);
    this.ghosts = ghosts.map((ghost) => new Ghost(ghost));
    this.points = pointsOf(scene);
    const paint = (color: number) =>
      plain ? new three.MeshLambertMaterial({ color }) : new three.MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.05 });
    this.bodies = new Bodies(scene, paint);
    this.forces = new Forces(scene);
    this.trails = scene.trails.map((trail, k) => new Trail(trail.name, trail.points, k, scene.lift[2]));
    this.trails.forEach((trail, k) => (trail.root.visible = scene.trails[k].shown));
    const skin = new three.MeshLambertMaterial({ vertexColors: true });
    this.tubes = scene.rods.map((rod) => new Tube(rod, skin));
    const ranges = this.tubes.map((tube) => tube.range);
    const all: [number, number] = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
    for (const tube of this.tubes) tube.range = all; // one scale for all rods
    this.centre = new MassCentre(scene);
    this.centre.root.visible = false;
    this.tendons = scene.tendons.map((tendon) => thread(tendon, 0.0022 * scene.size));
    this.ground = new GroundPlane(scene);
    this.bodies.axes.visible = false;
    const tubes = [...this.tubes, ...this.tendons].map((tube) => tube.mesh);
    const trails = this.trails.map((trail) => trail.root);
    this.world.add(this.bodies.root, this.forces.root, this.centre.root, this.ground.root, ...tubes, ...trails);
    for (const { root } of this.ghosts) this.world.add(root);
    this.addLights();
    this.camera = new three.PerspectiveCamera(ANGLE, 16 / 9, 0.02 * scene.size, 200 * scene.size);
    this.camera.up.fromArray(scene.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.touch());
    for (const ghost of ghosts) this.points.push(...pointsOf(ghost));
    this.extent.setFromPoints(this.points);
    this.following = this.extent.getSize(new three.Vector3()).length() > FAR * scene.size;
    this.recolour();
    this.resize();
    this.seek(scene.times.data[0]);
    this.look("free");
  }

  private addLights(): void {
    const size = this.scene.size;
    this.world.add(new three.HemisphereLight(0xffffff, 0xd8d2c8, 2.1));
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const frustum = this.sun.shadow.camera;
    [frustum.left, frustum.right, frustum.bottom, frustum.top] = [-2.2 * size, 2.2 * size, -2.2 * size, 2.2 * size];
    [frustum.near, frustum.far] = [0.1 * size, 14 * size];
    frustum.updateProjectionMatrix();
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * size;
    this.world.add(this.sun, this.sun.target);
  }

  /** Put the camera so that the robot (when it follows) or all of the motion is seen. */
  look(view: View): void {
    const span = this.extent.getSize(new three.Vector3());
    const direction = new three.Vector3(...DIRECTIONS[view]).normalize();
    if (view === "free" && span.y < 0.05 * Math.max(span.x, span.z)) direction.set(0.35, -1, 0.25).normalize(); // in the x-z plane
    const points = this.following ? corners(this.robot()) : [...this.points];
    if (this.forces.root.visible) points.push(...this.forces.tips(this.now));
    const { target, distance } = this.fit(points, direction);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.controls.update();
    this.touch();
  }

  /** The box about the robot as it stands now. */
  private robot(): three.Box3 {
    const box = new three.Box3().setFromObject(this.bodies.solids);
    for (const { mesh } of this.tubes) {
      mesh.geometry.computeBoundingBox();
      box.union(mesh.geometry.boundingBox!);
    }
    return box;
  }

  /** Where the camera must look, and from how far, to see all points. */
  private fit(points: three.Vector3[], direction: three.Vector3): { target: three.Vector3; distance: number } {
    const right = new three.Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new three.Vector3().crossVectors(direction, right);
    const axes = [right, above, direction];
    const box = new three.Box3().setFromPoints(points.map((p) => new three.Vector3(...axes.map((axis) => axis.dot(p)))));
    const middle = box.getCenter(new three.Vector3());
    const target = new three.Vector3();
    axes.forEach((axis, k) => target.addScaledVector(axis, middle.getComponent(k)));
    const high = Math.tan((ANGLE * Math.PI) / 360);
    let distance = 0.5 * this.scene.size;
    for (const point of points) {
      const apart = point.clone().sub(target);
      const wide = Math.max(Math.abs(apart.dot(right)) / (high * this.camera.aspect), Math.abs(apart.dot(above)) / high);
      distance = Math.max(distance, wide + apart.dot(direction));
    }
    return { target, distance: 1.2 * distance };
  }

  recolour(): void {
    this.world.background = new three.Color(variable("--stage"));
    this.ground.colours(variable("--grid"), variable("--floor"));
    this.touch();
  }

  /** Fit into the page. Its observers also call when a film is being made, and then change nothing. */
  resize(): void {
    if (!this.pinned) this.measure(this.holder.clientWidth, this.holder.clientHeight);
  }

  /** Keep this size (pixels) from now on. */
  pin(width: number, height: number): void {
    this.pinned = true;
    this.renderer.setPixelRatio(1);
    this.measure(width, height);
  }

  private measure(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    for (const trail of this.trails) trail.resize(width, height);
    this.touch();
  }

  /** Something has changed: draw at the next opportunity. */
  touch(): void {
    this.dirty = true;
  }

  seek(t: number): void {
    const at = moment(this.scene.times.data, t);
    this.now = at;
    this.bodies.update(at);
    for (const trail of this.trails) trail.update(at);
    for (const tube of [...this.tubes, ...this.tendons]) tube.update(at);
    this.forces.update(at);
    this.centre.update(at);
    for (const ghost of this.ghosts) ghost.seek(t);
    const before = this.shown.clone();
    if (this.scene.mass_centre) vector(this.scene.mass_centre, at, 0, this.shown);
    else if (this.scene.bodies.length) vector(this.scene.positions, at, 0, this.shown);
    else if (this.scene.rods.length) vector(this.scene.rods[0].centre, at, 0, this.shown);
    if (this.following) {
      const moved = this.shown.clone().sub(before);
      this.controls.target.add(moved);
      this.camera.position.add(moved);
    }
    this.touch();
  }

  /** Look from a place (m) at a target. */
  lookFrom(place: three.Vector3, target: three.Vector3, following: boolean): void {
    this.camera.position.copy(place);
    this.controls.target.copy(target);
    this.following = following;
    this.controls.update();
    this.touch();
  }

  /** Take everything down but the canvas. */
  dispose(): void {
    this.controls.dispose();
    this.world.traverse((object) => {
      const { geometry, material } = object as three.Mesh;
      geometry?.dispose();
      for (const one of material ? [material].flat() : []) one.dispose();
    });
    this.sun.shadow.dispose();
  }

  refreshForces(): void {
    this.forces.update(this.now);
    this.touch();
  }

  draw(force = false): void {
    if (!this.dirty && !force) return;
    this.dirty = false;
    this.ground.follow(this.controls.target);
    const up = this.camera.up;
    this.sun.target.position.copy(this.shown);
    // Of a robot on a wall (up is not along z) the sun is in front of it: along the wall shadows would have no end.
    const side = new three.Vector3(0.35, -0.45, 1.5 * (1 - up.z)).multiplyScalar(6 * this.scene.size);
    this.sun.position.copy(this.shown).addScaledVector(up, 6 * this.scene.size).add(side);
    this.renderer.render(this.world, this.camera);
  }
}

function pointsOf({ extreme: { data, shape } }: Scene): three.Vector3[] {
  return Array.from({ length: shape[0] }, (_, k) => new three.Vector3().fromArray(data, 3 * k));
}

/** A tendon as a thin tube. */
function thread({ name, points }: Scene["tendons"][number], radius: number): Tube {
  const shape = points.shape.slice(0, 2);
  const thick = { data: new Float32Array(shape[0] * shape[1]).fill(radius), shape };
  const rod = { name, centre: points, radius: thick, scalar: null, scalar_label: "" };
  return new Tube(rod, new three.MeshLambertMaterial({ color: TENDON }));
}

function corners({ min, max }: three.Box3): three.Vector3[] {
  const [xs, ys, zs] = [[min.x, max.x], [min.y, max.y], [min.z, max.z]];
  return xs.flatMap((x) => ys.flatMap((y) => zs.map((z) => new three.Vector3(x, y, z))));
}
