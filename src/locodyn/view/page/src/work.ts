// Work that the server does for the page: it answers line by line while it goes on. A sign says within a moment that it is busy.

/** One line of an answer; Python's view/studio.py tells them. */
export interface Told {
  doing?: string;
  share?: number | null; // of the run, 0..1
  refused?: string;
  robot?: string;
  summary?: string;
  classification?: string;
  fields?: Field[];
  t_end?: string;
  dt?: string;
  integrator?: string;
  shown?: number; // the packet to show
  number?: number; // the result to save
  still?: boolean;
  figures?: string;
  facts?: string;
  said?: string[];
  lines?: string;
  command?: string;
}

export interface Field {
  name: string;
  unit: string;
  meaning: string;
  source: string;
  value: string;
  choices: string[] | null;
  slider: [number, number, number] | null; // least, largest, step
}

/** The sign on the picture: what is going on, how far it is, and a button that stops it. */
export class BusySign {
  private readonly root = document.createElement("div");
  private readonly words = document.createElement("span");
  private readonly bar = document.createElement("progress");
  private count = 0;

  constructor(into: HTMLElement, stop: () => void) {
    this.root.className = "busy";
    this.root.setAttribute("role", "status");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "stop";
    button.title = "stop (Esc)";
    button.addEventListener("click", stop);
    const wheel = document.createElement("i");
    this.bar.max = 1;
    this.root.append(wheel, this.words, this.bar, button);
    this.root.hidden = true;
    into.append(this.root);
  }

  get on(): boolean {
    return this.count > 0;
  }

  begin(words: string): void {
    this.count += 1;
    this.root.hidden = false;
    this.say(words, null);
  }

  say(words: string, share: number | null): void {
    this.words.textContent = words;
    this.bar.hidden = share === null;
    if (share !== null) this.bar.value = share;
  }

  end(): void {
    this.count -= 1;
    this.root.hidden = this.count === 0;
  }
}

/** Ask for work; `hear` gets every line. A server that has gone is said in a sentence, as a refusal is. */
export async function work(name: string, sent: object, sign: BusySign, words: string, hear: (told: Told) => Promise<void> | void): Promise<void> {
  sign.begin(words);
  try {
    const answer = await fetch(name, { method: "POST", body: JSON.stringify(sent) });
    if (!answer.ok || !answer.body) throw new Error(await answer.text());
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (waiting + value).split("\n");
      waiting = lines.pop()!;
      for (const line of lines) {
        const told = JSON.parse(line) as Told;
        if (told.doing) sign.say(told.doing, told.share ?? null);
        await hear(told);
      }
    }
  } catch (error) {
    const why = error instanceof TypeError ? "the studio does not answer; is its command still running?" : (error as Error).message;
    await hear({ refused: why });
  } finally {
    sign.end();
  }
}
