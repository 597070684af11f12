import { log } from '../log.ts';

/**
 * Deno as it is found whenever a function is started: it may go, and come back. Its owner is told of either once, however
 * many call meanwhile.
 */
export function watchDeno(look: () => string | undefined) {
  let isGone = false;

  function gone(why: string, error?: Error): void {
    if (!isGone) log.error(`Functions cannot run: ${why} Everything else does.`, { error });
    isGone = true;
  }

  return {
    /** @returns undefined where there is none */
    find(): string | undefined {
      const binary = look();
      if (!binary) gone('npm has no Deno for this machine.');
      return binary;
    },
    /** It could not be run. */
    failed(error: Error): void {
      gone('Deno could not be run.', error);
    },
    runs(): void {
      if (isGone) log.warn('Functions run again.');
      isGone = false;
    },
  };
}
