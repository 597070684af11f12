type Program = { stop(): Promise<unknown>; errors(): string; output(): string };

/**
 * Shares programs between the files of a worker: one program for each set of options.
 *
 * @param limit maximum number of running programs. Another start stops the least recently used program
 */
export function sharedPrograms<Options, Started extends Program>(
  limit: number,
  start: (options: Options) => Promise<Started>,
) {
  /** By options as JSON. The most recently used one is last. */
  const running = new Map<string, Promise<Started>>();

  async function stop(key: string): Promise<void> {
    const program = running.get(key);
    running.delete(key);
    await (await program)?.stop();
  }

  return {
    /** Returns the program with these options, and starts it if it does not run. Its output begins with this call. */
    async get(options: Options): Promise<Started> {
      const key = JSON.stringify(options);
      const program = running.get(key) ?? start(options);
      running.delete(key);
      running.set(key, program);
      // A failed start must not fail the files after this one.
      program.catch(() => {
        if (running.get(key) === program) running.delete(key);
      });
      const [oldest] = running.keys();
      if (running.size > limit && oldest !== undefined) await stop(oldest);
      return sinceNow(await program);
    },
    async stopAll(): Promise<void> {
      for (const key of [...running.keys()]) await stop(key);
    },
  };
}

/** Returns the program, with only its output from now on. */
function sinceNow<Started extends Program>(program: Started): Started {
  const [errorsBefore, outputBefore] = [program.errors().length, program.output().length];
  return {
    ...program,
    errors: () => program.errors().slice(errorsBefore),
    output: () => program.output().slice(outputBefore),
  };
}
