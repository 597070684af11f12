import type { follow } from '../../lib/i18n/follow.ts';
import { deviceStanding, type Standing, setUpDevice } from './push.ts';

type Says = keyof typeof follow.device;

/**
 * What a form of alerts has of the device that it is open on: whether it can show them and why not, the browser's own
 * question when somebody ticks the box, and what has to be done before the form is sent.
 */
export function offerThisDevice(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-push-key]');
  const box = form?.querySelector<HTMLInputElement>('[name="push"]');
  const status = document.getElementById('push-says');
  const button = document.querySelector<HTMLButtonElement>('#this-device');
  if (!form || !box || !status || !button) return;
  const { person = '', pushKey: key = '', devices = '' } = form.dataset;
  const words = JSON.parse(form.dataset.says ?? '{}') as Record<Says, string>;
  const known = devices.split(' ').filter(Boolean);
  let standing: Standing = 'unable';
  /** They have said yes to this device, and it is set up when the form is sent. */
  let isWanted = false;

  function show(now: Standing, says: Says = sentenceOf(now)): void {
    standing = now;
    status?.replaceChildren(words[says]);
    const isAble = now === 'open' || now === 'here' || now === 'other';
    // What is ticked for other devices can be taken away from here.
    if (box) box.disabled = !isAble && !box.checked;
    if (!button) return;
    button.textContent = words[now === 'here' ? 'take' : 'add'];
    button.hidden = now !== 'here' && !(isAble && box?.checked && !isWanted);
  }
  function sentenceOf(now: Standing): Says {
    return now !== 'open' ? now : box?.checked && known.length > 0 ? 'others' : 'ask';
  }

  /** The browser asks, if it has not before. */
  async function isAllowed(): Promise<boolean> {
    const permission = await Notification.requestPermission();
    if (permission !== 'granted') show(permission === 'denied' ? 'denied' : standing, 'refused');
    return permission === 'granted';
  }

  async function setUp(): Promise<boolean> {
    status?.replaceChildren(words.setting);
    try {
      await setUpDevice({ person, key });
      isWanted = false;
      show('here');
      return true;
    } catch {
      show(standing, 'failed');
      return false;
    }
  }

  box.addEventListener('change', async () => {
    isWanted = false;
    if (!box.checked || standing === 'here') return show(standing);
    isWanted = await isAllowed();
    if (isWanted) show(standing, 'ready');
    else box.checked = false;
  });
  button.addEventListener('click', async () => {
    if (standing !== 'here') {
      if (await isAllowed()) await setUp();
      return;
    }
    const { forgetDevice } = await import('./push.ts');
    await forgetDevice();
    if (known.length < 2) box.checked = false;
    show('open', 'taken');
    status.focus();
  });
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    const isStop = submitter instanceof HTMLButtonElement && submitter.value === 'stop';
    if (isStop || !isWanted || !box.checked) return;
    event.preventDefault();
    if (await setUp()) form.requestSubmit(submitter);
    else box.checked = false;
  });
  void deviceStanding({ person, key }, known).then(show);
}
