// The form of the studio: fields for parameters. A field holds the text of its number, as it will be read; a slider writes into it.
import type { Field } from "./work";

function made<K extends keyof HTMLElementTagNameMap>(tag: K, about: Partial<HTMLElementTagNameMap[K]>): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(tag), about);
}

/** A number on a slider, rounded to the digits of its step; powers of ten where a plain number would be long. */
export function rounded(value: number, step: number): string {
  const whole = Math.round(value / step) * step;
  const digits = Math.max(1, Math.floor(Math.log10(Math.abs(whole) || step) + 1e-9) - Math.floor(Math.log10(step) + 1e-9) + 1);
  const exact = Number(whole.toPrecision(Math.min(digits, 15)));
  const size = Math.abs(exact);
  return size !== 0 && (size < 1e-5 || size >= 1e7) ? exact.toExponential().replace("e+", "e") : plain(exact);
}

function plain(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(20).replace(/0+$/, "") : text; // 1e-5 is written 0.00001
}

function fieldOf(field: Field, changed: () => void): { line: HTMLElement; input: HTMLInputElement | HTMLSelectElement } {
  const line = made("label", { className: "field", title: `${field.meaning}; source: ${field.source}` });
  const label = made("span", { textContent: field.name });
  if (field.unit) label.append(" ", made("i", { textContent: field.unit }));
  line.append(label);
  if (field.choices) {
    const list = made("select", { name: field.name });
    for (const choice of field.choices) list.add(new Option(choice, choice, choice === field.value, choice === field.value));
    list.addEventListener("change", changed);
    line.append(list);
    return { line, input: list };
  }
  const text = made("input", { name: field.name, value: field.value, spellcheck: false });
  text.inputMode = field.slider ? "decimal" : "text";
  if (field.slider) {
    const [low, high, step] = field.slider;
    const slider = made("input", { type: "range", min: String(low), max: String(high), step: "any", value: field.value, tabIndex: -1 });
    slider.setAttribute("aria-label", `${field.name}, slider`);
    slider.addEventListener("input", () => {
      text.value = rounded(Number(slider.value), step);
      changed();
    });
    text.addEventListener("input", () => (slider.value = text.value));
    line.append(slider);
  }
  text.addEventListener("change", changed);
  line.append(text);
  return { line, input: text };
}

/** All fields of a robot. */
export class Form {
  private inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();

  constructor(private readonly holder: HTMLElement, private readonly changed: () => void) {}

  fill(fields: Field[]): void {
    const all = fields.map((field) => ({ name: field.name, ...fieldOf(field, this.changed) }));
    this.inputs = new Map(all.map(({ name, input }) => [name, input]));
    this.holder.replaceChildren(...(all.length ? all.map(({ line }) => line) : [made("p", { textContent: "This robot has none." })]));
  }

  values(): Record<string, string> {
    return Object.fromEntries([...this.inputs].map(([name, input]) => [name, input.value]));
  }
}
