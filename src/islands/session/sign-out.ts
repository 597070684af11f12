import { ALERTS } from '../offline/names.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { deletePersonData, nextCommand, readCommands, readPendingCommands } from '../outbox/commands.ts';
import { readDrafts, setDevicePerson } from '../outbox/drafts.ts';
import { countUnsentPhotos, deletePhotos } from '../photos/photo-store.ts';

/** Forms that sign the person out, here or everywhere. */
const FORMS = 'form[action="/auth/sign-out"], #your-everywhere form';

/** Interval of checks whether everything is sent, in milliseconds. */
const POLL_MS = 500;

/**
 * Asks before a person with unsent data signs out: send it first, keep it on this device, or delete it. Signing out
 * clears the device's person even when the server cannot be reached.
 */
export function askBeforeSignOut(): void {
  const panel = document.querySelector<HTMLElement>('#sign-out-ask');
  if (!panel) return;
  void setDevicePerson(panel.dataset.person ?? null).catch(() => undefined);
  for (const form of document.querySelectorAll<HTMLFormElement>(FORMS)) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void signOut(panel, form, event.submitter);
    });
  }
}

async function signOut(panel: HTMLElement, form: HTMLFormElement, opener: HTMLElement | null): Promise<void> {
  const { person = '' } = panel.dataset;
  // Without storage nothing is lost by signing out.
  if (!(await hasUnsent(person).catch(() => false))) return signOutNow(form);
  let stopSending = () => {};
  const choose = (choice: string) => {
    // Cancels the previous choice.
    stopSending();
    if (choice === 'send') {
      stopSending = sendThenSignOut(panel, form);
      return;
    }
    if (choice === 'keep') return void signOutNow(form);
    if (choice === 'throw') return void deleteData(person).then(() => signOutNow(form));
    panel.hidden = true;
    opener?.focus();
  };
  panel.onclick = ({ target }) => {
    if (target instanceof HTMLButtonElement) choose(target.value);
  };
  panel.onkeydown = ({ key }) => {
    if (key === 'Escape') choose('stay');
  };
  showStatus(panel, '');
  panel.hidden = false;
  panel.querySelector<HTMLElement>('h2')?.focus();
}

/** Whether this device has unsaved drafts, unsent commands or photos. */
async function hasUnsent(person: string): Promise<boolean> {
  const drafts = (await readDrafts(person)).filter(({ isSaved }) => !isSaved);
  const unsent = [...drafts, ...(await readPendingCommands(person))];
  return unsent.length > 0 || (await countUnsentPhotos(person)) > 0;
}

function showStatus(panel: HTMLElement, text = ''): void {
  const status = panel.querySelector('.status');
  if (status) status.textContent = text;
}

/** Sends what can be sent, then signs out. Returns a function that cancels it. */
function sendThenSignOut(panel: HTMLElement, form: HTMLFormElement): () => void {
  const { person = '', url = '/', key = '', sending, notSent, needsYou } = panel.dataset;
  const ends: (() => void)[] = [];
  let hasEnded = false;
  function finish(text?: string): void {
    hasEnded = true;
    for (const stop of ends) stop();
    showStatus(panel, text);
  }

  async function begin(): Promise<void> {
    const { startOutboxSender } = await import('../outbox/start-sending.ts');
    if (hasEnded) return;
    const stopListening = onOutboxEvent((event) => {
      if (event.type === 'sending' && event.person === person && event.pauseReason) finish(notSent);
    });
    const stopSending = startOutboxSender(person, { publicUrl: url, publishableKey: key });
    // There is no event for finished photos.
    const timer = setInterval(() => void check(), POLL_MS);
    ends.push(stopListening, stopSending, () => clearInterval(timer));
  }
  async function check(): Promise<void> {
    const isUnsent = await hasUnsent(person);
    if (hasEnded || (isUnsent && (await canSend(person)))) return;
    finish(isUnsent ? needsYou : sending);
    if (!isUnsent) await signOutNow(form);
  }

  showStatus(panel, sending);
  begin().catch(() => finish(notSent));
  return () => finish();
}

/** Whether anything can still be sent without the person: not drafts and refused commands. */
async function canSend(person: string): Promise<boolean> {
  return nextCommand(await readCommands(person)) !== undefined || (await countUnsentPhotos(person)) > 0;
}

/** Ends the person's alerts, because others may use the device. */
async function removeAlerts(): Promise<void> {
  if (!(await caches.has(ALERTS))) return;
  const { removeDevice } = await import('../alerts/push.ts');
  await removeDevice();
}

async function deleteData(person: string): Promise<void> {
  await deletePersonData(person);
  await deletePhotos(person);
}

async function signOutNow(form: HTMLFormElement): Promise<void> {
  await setDevicePerson(null).catch(() => undefined);
  await removeAlerts().catch(() => undefined);
  form.submit();
}
