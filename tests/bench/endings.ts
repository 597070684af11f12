/** What a bench has started: all of it ends with the bench, in reverse order, however it ends. */
export class Endings {
  readonly #endings: (() => unknown)[] = [];

  /** Remembers how to end something, and hands it back. */
  add<Thing>(thing: Thing, end: (thing: Thing) => unknown): Thing {
    this.#endings.push(() => end(thing));
    return thing;
  }

  async run(): Promise<void> {
    for (let end = this.#endings.pop(); end; end = this.#endings.pop()) await end();
  }
}
