import { startBackend } from './backend.ts';
import { spareMemory } from './engine/spare-memory.ts';
import { beat, tell } from './ipc.ts';
import { log } from './log.ts';
import { readSettings } from './settings.ts';
import { logStartFailure, startFailure } from './start-error.ts';

spareMemory();

const forked = process.connected === true;

try {
  const taken = Promise.withResolvers<void>();
  const backend = await startBackend(readSettings(process.env), taken.resolve);

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    try {
      await backend.stop();
      process.exit(0);
    } catch (error) {
      log.error('The backend did not stop cleanly.', { error });
      process.exit(1);
    }
  };
  taken.promise.then(() => {
    log.error('Another backend has taken the database: this one stops.');
    return stop();
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Whoever forked us is gone, perhaps while we were starting: nobody would ever stop us.
  process.on('disconnect', stop);
  if (forked && !process.connected) await stop();

  const { url, publishableKey, secretKey, headers } = backend;
  log.info(`Backend ready at ${url}`);
  if (!forked) {
    console.log(`API URL:         ${url}\nPublishable key: ${publishableKey}\nSecret key:      ${secretKey}`);
  }
  await tell({ type: 'ready', url, publishableKey, secretKey, headers });
  beat();
} catch (error) {
  const message = startFailure(error);
  logStartFailure(error);
  await tell({ type: 'failed', message });
  process.exit(1);
}
