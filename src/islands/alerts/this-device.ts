import type { Messages } from '../../lib/i18n/messages.ts';
import { type PushStatus, pushStatus, setUpDevice } from './push.ts';

type MessageKey = keyof Messages['follow']['device'];

/**
 * Sets up the device part of an alert form: whether this device can show alerts, the browser's permission, and the
 * subscription before the form is sent.
 */
export function setUpDeviceForm(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-push-key]');
  const box = form?.querySelector<HTMLInputElement>('[name="push"]');
  const status = document.getElementById('push-says');
  const button = document.querySelector<HTMLButtonElement>('#this-device');
  if (!form || !box || !status || !button) return;
  const { person = '', pushKey: key = '', devices = '' } = form.dataset;
  const messages = JSON.parse(form.dataset.says ?? '{}') as Record<MessageKey, string>;
  const known = devices.split(' ').filter(Boolean);
  let pushState: PushStatus = 'unable';
  /** The person allowed alerts on this device; the subscription is created with the form. */
  let isEnabled = false;

  function show(next: PushStatus, key: MessageKey = messageKeyOf(next)): void {
    pushState = next;
    status?.replaceChildren(messages[key]);
    const isAble = next === 'open' || next === 'here' || next === 'other' || next === 'withoutAccount';
    // Alerts of other devices can be switched off here.
    if (box) box.disabled = !isAble && !box.checked;
    if (!button) return;
    button.textContent = messages[next === 'here' ? 'take' : next === 'withoutAccount' ? 'adopt' : 'add'];
    button.hidden = next !== 'here' && next !== 'withoutAccount' && !(isAble && box?.checked && !isEnabled);
  }
  function messageKeyOf(next: PushStatus): MessageKey {
    return next !== 'open' ? next : box?.checked && known.length > 0 ? 'others' : 'ask';
  }

  /** Asks for the permission if necessary. */
  async function isAllowed(): Promise<boolean> {
    const permission = await Notification.requestPermission();
    if (permission !== 'granted') show(permission === 'denied' ? 'denied' : pushState, 'refused');
    return permission === 'granted';
  }

  async function subscribe(): Promise<boolean> {
    status?.replaceChildren(messages.setting);
    try {
      await setUpDevice({ person, key });
      isEnabled = false;
      show('here');
      return true;
    } catch {
      show(pushState, 'failed');
      return false;
    }
  }

  box.addEventListener('change', async () => {
    isEnabled = false;
    if (!box.checked || pushState === 'here') return show(pushState);
    isEnabled = await isAllowed();
    if (isEnabled) show(pushState, 'ready');
    else box.checked = false;
  });
  button.addEventListener('click', async () => {
    if (pushState !== 'here') {
      const isAdoption = pushState === 'withoutAccount';
      // The newsroom then lists the follows that this device brought along.
      if ((await isAllowed()) && (await subscribe()) && isAdoption) location.reload();
      return;
    }
    const { removeDevice } = await import('./push.ts');
    await removeDevice();
    if (known.length < 2) box.checked = false;
    show('open', 'alertsStopped');
    status.focus();
  });
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    const isUnsubscribe = submitter instanceof HTMLButtonElement && submitter.value === 'stop';
    if (isUnsubscribe || !isEnabled || !box.checked) return;
    event.preventDefault();
    if (await subscribe()) form.requestSubmit(submitter);
    else box.checked = false;
  });
  void pushStatus({ person, key }, known).then(show);
}
