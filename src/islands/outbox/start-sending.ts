import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { deskBackend } from '../desk/backend.ts';
import { openPhotoStore } from '../photos/photo-store.ts';
import { makePhotos } from '../photos/photos.ts';
import { startFollowUpSender } from '../photos/send-follow-ups.ts';
import { photoApi } from '../photos/send-photo.ts';
import { accessTokens } from './access-tokens.ts';
import { notify, onOutboxEvent } from './broadcast.ts';
import { nextCommand, readCommands, readPendingCommands } from './commands.ts';
import { devicePerson } from './drafts.ts';
import { commandSender, type Send } from './rpc.ts';
import { type SendResult, sendCommands } from './send-commands.ts';
import { type AttemptResult, makeSender } from './sender.ts';

export type CommandSender = {
  /** Sends at once, after a new command or when the backend is reachable again. */
  sendNow(): void;
  stop(): void;
};

/**
 * Sends the commands of a person while a page is open, in one sequence: later commands wait for a retry of an earlier
 * one. Sends nothing while another person is signed in in another tab.
 */
export function startSending(person: string, send: Send): CommandSender {
  const sender = makeSender({ attempt });

  async function attempt(_: string, signal: AbortSignal): Promise<AttemptResult> {
    const { pauseReason, retryAfter = 0 } = await sendUnlessSignedOut(signal);
    if (!pauseReason) return 'done';
    return { hasProgressed: false, isSignedOut: pauseReason === 'session', retryAfter };
  }

  /** An error of the device, for example of its locks, is retried like a lost connection. */
  async function sendUnlessSignedOut(signal: AbortSignal): Promise<SendResult> {
    try {
      const isWaiting = (await readPendingCommands(person)).some(({ state }) => state === 'waiting');
      if (!isWaiting || signal.aborted) return { pauseReason: null };
      // Without a stored person the session decides: the person may have signed in again.
      const devicePersonId = await devicePerson();
      if (devicePersonId === null || devicePersonId === person)
        return await sendCommands(person, send, signal);
      notify({ type: 'sending', person, command: null, pauseReason: 'session' });
      return { pauseReason: 'session' };
    } catch (error) {
      reportError(error);
      return { pauseReason: 'line' };
    }
  }

  /** A new command is sent at once. Other events do not shorten a delay. */
  const request = () => void sender.add(person);
  const sendNow = () => {
    request();
    sender.retryNow();
  };
  const stopListening = onOutboxEvent((event) => {
    if (event.type === 'device') {
      // Stops a running attempt under the previous session.
      sender.pause()();
      sendNow();
    }
    if (event.type === 'commands' && event.person === person) request();
  });
  const stopSending = sender.start(sendNow);
  sendNow();

  return {
    sendNow,
    stop() {
      stopListening();
      stopSending();
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
  const desk = deskBackend(backend, person);
  const photos = makePhotos(photoApi(desk, backend), openPhotoStore(person), {
    coverage: null,
    watchText: (onChange) => watchQueuedText(person, onChange),
  });
  const stopPhotos = photos.start();
  const followUps = startFollowUpSender({ person, photos, backend: desk });
  return () => {
    sender.stop();
    stopPhotos();
    followUps.stop();
  };
}
