/** Cleans up everything that a bench has started, in reverse order. */
export class Endings {
  readonly #endings: (() => unknown)[] = [];

  /** Registers a cleanup function, and returns the thing. */
  add<Thing>(thing: Thing, end: (thing: Thing) => unknown): Thing {
    this.#endings.push(() => end(thing));
    return thing;
  }

  async run(): Promise<void> {
    for (let end = this.#endings.pop(); end; end = this.#endings.pop()) await end();
  }
}
