import type { FollowScope, FollowWithoutAccount } from '../../lib/domain/follows.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import { endDeviceFollows, followEntry, followOnDevice, readDeviceState } from './device-follows.ts';

type DeviceMessages = Messages['follow']['device'] &
  Omit<Messages['follow']['thisDevice'], 'now'> & {
    now: Record<FollowScope, string>;
  };

/**
 * Sets up the part of the follow page with which a visitor gets alerts on this device: one button that asks for the
 * permission, registers the device and follows.
 */
export function setUpVisitorDevice(): void {
  const section = document.getElementById('device-alerts');
  const status = document.getElementById('device-says');
  const followButton = document.querySelector<HTMLButtonElement>('#device-follow');
  const stopButton = document.querySelector<HTMLButtonElement>('#device-stop');
  const others = document.getElementById('device-others');
  const account = document.getElementById('device-account');
  const key = section?.dataset.pushKey;
  if (!section || !key || !status || !followButton || !stopButton || !others || !account) return;
  const form = section.closest('form');
  const { kind, slug } = section.dataset as { kind: 'coverage' | 'topic'; slug: string };
  const isOffered = section.dataset.offered !== undefined;
  const messages = JSON.parse(section.dataset.says ?? '{}') as DeviceMessages;
  const target = { kind, slug };
  let follows: FollowWithoutAccount[] = [];

  const say = (sentence: string) => status.replaceChildren(sentence);
  const current = () => follows.find((one) => one.kind === kind && one.slug === slug);
  const chosenScope = (): FollowScope =>
    form?.querySelector<HTMLInputElement>('[name="scope"]:checked')?.value === 'key' ? 'key' : 'all';

  /** Shows the follows of this device, and the buttons that make sense. */
  function show(next: FollowWithoutAccount[], sentence?: string): void {
    follows = next;
    const now = current();
    say(sentence ?? (now ? messages.now[now.scope] : isOffered ? messages.ask : messages.none));
    if (followButton) {
      followButton.textContent = now ? messages.change : messages.follow;
      followButton.hidden = !isOffered || now?.scope === chosenScope();
    }
    if (stopButton) {
      stopButton.textContent = messages.stop;
      stopButton.hidden = !now;
    }
    const links = follows.filter((one) => one !== now).map(followEntry);
    others?.querySelector('ul')?.replaceChildren(...links);
    if (others) others.hidden = links.length === 0;
    if (account) account.hidden = follows.length === 0;
  }

  async function act(work: () => Promise<FollowWithoutAccount[]>, done?: string): Promise<void> {
    say(messages.setting);
    try {
      show(await work(), done);
    } catch {
      show(follows, messages.failed);
    }
    status?.focus();
  }

  followButton.addEventListener('click', async () => {
    const permission = await Notification.requestPermission();
    if (permission !== 'granted') return say(permission === 'denied' ? messages.denied : messages.refused);
    await act(() => followOnDevice(key, target, chosenScope()));
  });
  stopButton.addEventListener('click', () => act(() => endDeviceFollows(target), messages.stopped));
  document
    .getElementById('device-stop-all')
    ?.addEventListener('click', () => act(() => endDeviceFollows(), messages.stopped));

  void readDeviceState(key).then((state) => {
    if (typeof state === 'string') return say(messages[state]);
    show(state);
    form?.addEventListener('change', () => show(follows));
  });
}
