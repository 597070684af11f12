/**
 * Runs `stop` once when this process is asked to end (Ctrl-C, SIGTERM, or the process that forked us is gone),
 * then ends it: with 0, or with 1 when stopping failed.
 */
export function onStop(stop: () => Promise<void>): void {
  let stopping = false;
  const end = async () => {
    if (stopping) return;
    stopping = true;
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('disconnect', end);
}
