import { ALERTS } from '../offline/names.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { deletePersonData, nextCommand, readCommands, readPendingCommands } from '../outbox/commands.ts';
import { readDrafts, setDevicePerson } from '../outbox/drafts.ts';
import { forgetPhotos, photosWaiting } from '../photos/photo-store.ts';

/** What signs somebody out, here or everywhere. */
const FORMS = 'form[action="/auth/sign-out"], #your-everywhere form';

/** Between two looks whether everything is gone: milliseconds. */
const LOOK_MS = 500;

/**
 * Asks before somebody signs out whose work is on this device and not with the desk yet: sends it first, keeps it here
 * for when they are back, or throws it away. Whoever signs out is nobody on this device from then on, also when the
 * server is not reached; and whoever is signed in on this page is whose device it is.
 */
export function guardSignOut(): void {
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

async function signOut(panel: HTMLElement, form: HTMLFormElement, from: HTMLElement | null): Promise<void> {
  const { person = '' } = panel.dataset;
  // A device that tells nothing keeps nobody here.
  if (!(await hasWork(person).catch(() => false))) return leave(form);
  let stopSending = () => {};
  const choose = (choice: string) => {
    // Whatever was chosen before is not wanted any more.
    stopSending();
    if (choice === 'send') {
      stopSending = sendFirst(panel, form);
      return;
    }
    if (choice === 'keep') return void leave(form);
    if (choice === 'throw') return void throwAway(person).then(() => leave(form));
    panel.hidden = true;
    from?.focus();
  };
  panel.onclick = ({ target }) => {
    if (target instanceof HTMLButtonElement) choose(target.value);
  };
  panel.onkeydown = ({ key }) => {
    if (key === 'Escape') choose('stay');
  };
  say(panel, '');
  panel.hidden = false;
  panel.querySelector<HTMLElement>('h2')?.focus();
}

/** Words that only this device has, presses on their way, photos. What the desk has too is no loss. */
async function hasWork(person: string): Promise<boolean> {
  const drafts = (await readDrafts(person)).filter(({ isSaved }) => !isSaved);
  const waits = [...drafts, ...(await readPendingCommands(person))];
  return waits.length > 0 || (await photosWaiting(person)) > 0;
}

function say(panel: HTMLElement, words = ''): void {
  const status = panel.querySelector('.status');
  if (status) status.textContent = words;
}

/** Sends what can be sent, and signs out when all of it is with the desk. Returns what ends it. */
function sendFirst(panel: HTMLElement, form: HTMLFormElement): () => void {
  const { person = '', url = '/', key = '', sending, notSent, needsYou } = panel.dataset;
  const ends: (() => void)[] = [];
  let isOver = false;
  function end(words?: string): void {
    isOver = true;
    for (const stop of ends) stop();
    say(panel, words);
  }

  async function begin(): Promise<void> {
    const { startOutboxSender } = await import('../outbox/sending.ts');
    if (isOver) return;
    const stopHearing = onOutboxEvent((news) => {
      if (news.type === 'sending' && news.person === person && news.pauseReason) end(notSent);
    });
    const stopSending = startOutboxSender(person, { publicUrl: url, publishableKey: key });
    // Of photos nothing is said when they have arrived.
    const timer = setInterval(() => void look(), LOOK_MS);
    ends.push(stopHearing, stopSending, () => clearInterval(timer));
  }
  async function look(): Promise<void> {
    const has = await hasWork(person);
    if (isOver || (has && (await goesOn(person)))) return;
    end(has ? needsYou : sending);
    if (!has) await leave(form);
  }

  say(panel, sending);
  begin().catch(() => end(notSent));
  return () => end();
}

/** Whether anything of what waits is sent by itself: not what nobody has pressed yet, nor what was refused. */
async function goesOn(person: string): Promise<boolean> {
  return nextCommand(await readCommands(person)) !== undefined || (await photosWaiting(person)) > 0;
}

/** Their alerts come no more to a device that others may use. */
async function leaveAlerts(): Promise<void> {
  if (!(await caches.has(ALERTS))) return;
  const { forgetDevice } = await import('../alerts/push.ts');
  await forgetDevice();
}

async function throwAway(person: string): Promise<void> {
  await deletePersonData(person);
  await forgetPhotos(person);
}

async function leave(form: HTMLFormElement): Promise<void> {
  await setDevicePerson(null).catch(() => undefined);
  await leaveAlerts().catch(() => undefined);
  form.submit();
}
