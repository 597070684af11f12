import { startBackend } from './backend.ts';
import { backendLog } from './log/log.ts';
import { limitCompilerMemory, notifyParent, sendHeartbeats } from './process.ts';
import { readSettings } from './settings.ts';
import { logStartFailure, startFailureMessage } from './start-error.ts';

limitCompilerMemory();

const isForked = process.connected === true;

try {
  const lockLost = Promise.withResolvers<void>();
  const backend = await startBackend(readSettings(process.env), lockLost.resolve);

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    try {
      await backend.stop();
      process.exit(0);
    } catch (error) {
      backendLog.error('The backend did not stop cleanly.', { error });
      process.exit(1);
    }
  };
  lockLost.promise.then(() => {
    backendLog.error('Another backend has taken the database: this one stops.');
    return stop();
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The parent process has ended, perhaps during the start, so this process would never be stopped.
  process.on('disconnect', stop);
  if (isForked && !process.connected) await stop();

  const { url, publishableKey, secretKey, headers } = backend;
  backendLog.info(`Backend ready at ${url}`);
  if (!isForked) {
    console.log(`API URL:         ${url}\nPublishable key: ${publishableKey}\nSecret key:      ${secretKey}`);
  }
  await notifyParent({ type: 'ready', url, publishableKey, secretKey, headers });
  sendHeartbeats();
} catch (error) {
  const message = startFailureMessage(error);
  logStartFailure(error);
  await notifyParent({ type: 'failed', message });
  process.exit(1);
}
