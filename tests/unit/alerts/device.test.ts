import { afterEach, expect, test, vi } from 'vitest';
import { newSubscription } from '../../../src/islands/alerts/push.ts';
import { setUpVisitorDevice } from '../../../src/islands/alerts/visitor-device.ts';
import { follow } from '../../../src/lib/i18n/en/follow.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** An element of the follow page. */
const element = () => {
  const one = Object.assign(new EventTarget(), {
    hidden: true,
    textContent: '',
    replaceChildren: (text: string) => {
      one.textContent = text;
    },
    querySelector: () => null,
  });
  return one;
};

test('keeps the explanation on a device that cannot show alerts when the form changes', async () => {
  const form = element();
  const section = Object.assign(element(), {
    dataset: {
      pushKey: 'key',
      kind: 'coverage',
      slug: 'river',
      offered: '',
      says: JSON.stringify({ ...follow.device, ...follow.thisDevice }),
    },
    closest: () => form,
  });
  const elements: Record<string, ReturnType<typeof element>> = { 'device-alerts': section };
  const find = (id: string) => {
    elements[id] ??= element();
    return elements[id];
  };
  vi.stubGlobal('document', { getElementById: find, querySelector: (id: string) => find(id.slice(1)) });
  vi.stubGlobal('navigator', { userAgent: 'Firefox' });

  setUpVisitorDevice();
  await vi.waitFor(() => expect(find('device-says').textContent).toBe(follow.device.unable));
  form.dispatchEvent(new Event('change'));

  expect(find('device-says').textContent).toBe(follow.device.unable);
  expect(find('device-follow').hidden).toBe(true);
});

test('fails when the service worker never becomes ready', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { serviceWorker: { ready: new Promise(() => undefined) } });
  const failed = vi.fn();
  void newSubscription('key', undefined).catch(failed);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(failed).toHaveBeenCalledOnce();
});
