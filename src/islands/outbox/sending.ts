import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { deskBackend } from '../desk/backend.ts';
import { photoApi } from '../photos/photo-backend.ts';
import { openPhotoStore } from '../photos/photo-store.ts';
import { makePhotos } from '../photos/photos.ts';
import { accessTokens } from './access-tokens.ts';
import { notify, onOutboxEvent } from './broadcast.ts';
import { nextCommand, readCommands, readPendingCommands, retryDelay } from './commands.ts';
import { type Send, type SendResult, sendCommands } from './deliver.ts';
import { devicePerson } from './drafts.ts';
import { commandSender } from './sender.ts';

/** Interval of retries while signed out, in milliseconds. Focusing the page retries at once. */
const SESSION_RETRY_MS = 60_000;

/** Upper limit for `Retry-After`, in milliseconds. Timers of more than 25 days would fire at once. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export type CommandSender = {
  /** Sends at once, after a new command or when the backend is reachable again. */
  sendNow(): void;
  stop(): void;
};

/**
 * Sends the outbox while a page is open: at once, when the connection returns, when the page is focused, and after
 * growing delays. Sends nothing while another person is signed in in another tab.
 */
export function startSending(person: string, send: Send): CommandSender {
  const end = new AbortController();
  /** Aborts the running send. */
  let current = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let isRunning = false;
  let isRequested = false;

  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isRunning) {
      isRequested = true;
      return;
    }
    isRunning = true;
    try {
      do {
        isRequested = false;
        await sendOnce();
      } while (isRequested && !end.signal.aborted);
    } finally {
      isRunning = false;
    }
  }

  async function sendOnce(): Promise<void> {
    const hasQueued = (await readPendingCommands(person)).some(({ state }) => state === 'waiting');
    if (!hasQueued || end.signal.aborted) return;
    const { pauseReason, retryAfter = 0 } = await sendUnlessSignedOut();
    tries = pauseReason ? tries + 1 : 0;
    if (!pauseReason || end.signal.aborted) return;
    const delay =
      pauseReason === 'session'
        ? SESSION_RETRY_MS
        : Math.max(retryDelay(tries), Math.min(LONGEST_RETRY_AFTER_MS, retryAfter * 1000));
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  }

  /** An error of the device, for example of its locks, is retried like a lost connection. */
  async function sendUnlessSignedOut(): Promise<SendResult> {
    try {
      // Without a stored person the session decides: the person may have signed in again.
      const devicePersonId = await devicePerson();
      if (devicePersonId === null || devicePersonId === person) {
        current = new AbortController();
        return await sendCommands(person, send, AbortSignal.any([end.signal, current.signal]));
      }
      notify({ type: 'sending', person, command: null, pauseReason: 'session' });
      return { pauseReason: 'session' };
    } catch (error) {
      reportError(error);
      return { pauseReason: 'line' };
    }
  }

  function sendNow(): void {
    tries = 0;
    void run();
  }
  const onSeen = () => {
    if (document.visibilityState === 'visible') sendNow();
  };
  const stopListening = onOutboxEvent((event) => {
    if (event.type === 'device') {
      current.abort();
      sendNow();
    }
    // A new command is sent at once. Other events do not shorten a delay.
    if (event.type === 'commands' && event.person === person && !timer) void run();
  });
  document.addEventListener('visibilitychange', onSeen);
  for (const event of ['online', 'focus', 'pageshow']) window.addEventListener(event, onSeen);
  sendNow();

  return {
    sendNow,
    stop() {
      end.abort();
      clearTimeout(timer);
      stopListening();
      document.removeEventListener('visibilitychange', onSeen);
      for (const event of ['online', 'focus', 'pageshow']) window.removeEventListener(event, onSeen);
    },
  };
}

/**
 * Reports whether commands are waiting to be sent, so that photos can wait for text. Returns a function that stops it.
 */
export function watchQueuedText(person: string, onChange: (isWaiting: boolean) => void): () => void {
  let checks = 0;
  async function check(): Promise<void> {
    checks += 1;
    const checkNumber = checks;
    // Reported before the read, so that photo uploads stop as soon as a command is added.
    onChange(true);
    const next = await readCommands(person).then(nextCommand, () => undefined);
    if (checkNumber === checks) onChange(next !== undefined);
  }
  void check();
  const stop = onOutboxEvent((event) => {
    if (event.type === 'commands' && event.person === person) void check();
  });
  return () => {
    checks += 1;
    stop();
  };
}

/** Sends the outbox, text before photos, from pages other than a coverage's desk. Returns a function that stops it. */
export function startOutboxSender(person: string, backend: BrowserBackend): () => void {
  const sender = startSending(person, commandSender(backend, accessTokens(person)));
  const line = photoApi(deskBackend(backend, person), backend);
  const photos = makePhotos(line, openPhotoStore(person), {
    coverage: null,
    watchText: (tell) => watchQueuedText(person, tell),
  });
  const stopPhotos = photos.start();
  return () => {
    sender.stop();
    stopPhotos();
  };
}
