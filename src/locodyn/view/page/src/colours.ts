// Colours: Okabe and Ito (2008) for curves, as in the printed plots; cividis for scales. Both are safe for colour-blind readers.

export const PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
const ON_DARK = ["#4DA3DB", "#F0803C", "#2FC79A", "#DE9BC0", "#EDB53C", "#8CCBF0", "#FFFFFF"]; // the same hues, lighter
export const DASHES: number[][] = [[], [8, 4], [2, 3]];
export const MANY = 8; // more curves than this are coloured along a scale

const CIVIDIS = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120],
  [165, 156, 116], [195, 179, 105], [225, 204, 85], [254, 232, 56],
];

/** Red, green, blue in 0..1 at a place 0..1 of the scale. */
export function cividis(x: number): [number, number, number] {
  return along(CIVIDIS, x);
}

function along(colours: number[][], x: number): [number, number, number] {
  const place = Math.min(Math.max(x, 0), 1) * (colours.length - 1);
  const k = Math.min(Math.floor(place), colours.length - 2);
  const mix = (i: number) => (colours[k][i] + (place - k) * (colours[k + 1][i] - colours[k][i])) / 255;
  return [mix(0), mix(1), mix(2)];
}

const APART = [[33, 102, 172], [146, 197, 222], [247, 247, 247], [244, 165, 130], [178, 24, 43]]; // blue, white, red

/** Likewise of a scale with zero in its middle. */
export function diverging(x: number): [number, number, number] {
  return along(APART, x);
}

export function css(colour: [number, number, number]): string {
  return `rgb(${colour.map((c) => Math.round(255 * c)).join(" ")})`;
}

export function curveColour(k: number, count: number): string {
  if (count > MANY) return css(cividis(k / (count - 1)));
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  return (dark ? ON_DARK : PALETTE)[k % PALETTE.length];
}

/** A colour of the style sheet. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
