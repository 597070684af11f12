import type { FollowWithoutAccount } from '../../lib/domain/follows.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { endDeviceFollows, followEntry, listDeviceFollows } from './device-follows.ts';

/** Sets up the list of this device's alerts, with a button that stops all of them. */
export function setUpDeviceList(): void {
  const root = document.getElementById('device-list');
  const status = document.getElementById('device-says');
  const details = root?.querySelector('details');
  if (!root || !status || !details) return;
  const messages = JSON.parse(root.dataset.says ?? '{}') as Messages['follow']['choices']['device'];

  const say = (sentence: string) => {
    status.textContent = sentence;
    status.hidden = false;
  };
  function show(follows: FollowWithoutAccount[], none: string): void {
    details?.querySelector('ul')?.replaceChildren(...follows.map(followEntry));
    details?.querySelector('span')?.replaceChildren(`(${follows.length})`);
    if (details) details.hidden = follows.length === 0;
    if (follows.length === 0) say(none);
    else if (status) status.hidden = true;
  }

  details.querySelector('button')?.addEventListener('click', async () => {
    try {
      show(await endDeviceFollows(), messages.stopped);
    } catch {
      say(messages.failed);
    }
    status.focus();
  });
  listDeviceFollows().then(
    (follows) => (follows === 'account' ? say(messages.account) : show(follows, messages.none)),
    () => say(messages.failed),
  );
}
