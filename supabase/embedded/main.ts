import { setFlagsFromString } from 'node:v8';
import { startBackend } from './backend.ts';
import { readSettings } from './settings.ts';
import { startFailure } from './start-error.ts';

// Left to itself V8 compiles PGlite a second time at every start, optimised: measured, that takes 800 MB for some
// seconds, which a cheap server does not have, instead of 290, for queries that are a twentieth faster.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

/** Tells the process that started us, when it is one that listens, and waits until it has heard. */
function tell(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}

const forked = process.connected === true;

try {
  const backend = await startBackend(readSettings(process.env));

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    try {
      await backend.stop();
      process.exit(0);
    } catch (error) {
      console.error('The backend did not stop cleanly:', error);
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Whoever forked us is gone, perhaps while we were starting: nobody would ever stop us.
  process.on('disconnect', stop);
  if (forked && !process.connected) await stop();

  const { url, publishableKey, secretKey } = backend;
  console.log(`Backend ready at ${url}`);
  await tell({ type: 'ready', url, publishableKey, secretKey });
} catch (error) {
  const message = startFailure(error);
  console.error(message);
  await tell({ type: 'failed', message });
  process.exit(1);
}
