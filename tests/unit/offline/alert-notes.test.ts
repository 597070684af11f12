import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endDeviceFollows, listDeviceFollows } from '../../../src/islands/alerts/device-follows.ts';
import {
  type DeviceNote,
  saveDeviceNote,
  saveShownAlert,
  shownAlerts,
} from '../../../src/islands/alerts/registration.ts';
import { handleAlerts } from '../../../src/islands/offline/alerts.ts';
import type { WorkerScope } from '../../../src/islands/offline/scope.ts';

beforeEach(() => {
  const stored = new Map<string, Response>();
  const cache = {
    match: async (path: string) => stored.get(path)?.clone(),
    put: async (path: string, response: Response) => void stored.set(path, response),
    delete: async (path: string) => stored.delete(path),
  };
  vi.stubGlobal('caches', { open: async () => cache });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test('an alert that arrives again is shown silently', async () => {
  vi.stubGlobal('newsroom', { name: 'The Harrow Post', lang: 'en', unread: 'There is news.' });
  vi.stubGlobal('location', { origin: 'https://news.example' });
  const shown: [string, boolean][] = [];
  const registration = {
    showNotification: async (title: string, { silent = false }: { silent?: boolean }) =>
      void shown.push([title, silent]),
  };
  const scope = Object.assign(new EventTarget(), { registration });
  handleAlerts(scope as unknown as WorkerScope);
  const push = async (message: object) => {
    const waits: Promise<unknown>[] = [];
    const waitUntil = (wait: Promise<unknown>) => void waits.push(wait);
    scope.dispatchEvent(
      Object.assign(new Event('push'), { data: { text: () => JSON.stringify(message) }, waitUntil }),
    );
    await Promise.all(waits);
  };
  await push({ alert: 'a-1', title: 'The river rises' });
  await push({ alert: 'a-2', title: 'The bridge is closed' });
  await push({ alert: 'a-1', title: 'The river rises' });
  expect(shown).toEqual([
    ['The river rises', false],
    ['The bridge is closed', false],
    ['The river rises', true],
  ]);
});

test('the device remembers the last fifty alerts', async () => {
  const ids = Array.from({ length: 60 }, (_, n) => `a-${n}`);
  for (const id of ids) await saveShownAlert(id);
  expect(await shownAlerts()).toEqual(ids.slice(10));
});

describe('follows without an account', () => {
  const ENDPOINT = 'https://push.example/1';
  const follows = [{ kind: 'coverage', slug: 'river' }];
  const subscription = { endpoint: ENDPOINT };

  /** A device with this registration. @returns the requests that it sends */
  async function openDevice(note: Partial<DeviceNote>) {
    await saveDeviceNote({ endpoint: ENDPOINT, key: 'key', ...note });
    const pushManager = { getSubscription: async () => subscription };
    const registration = { pushManager };
    const serviceWorker = { getRegistration: async () => registration, ready: Promise.resolve(registration) };
    vi.stubGlobal('navigator', { serviceWorker });
    const request = vi.fn(async () => Response.json({ follows }));
    vi.stubGlobal('fetch', request);
    // In development there is no worker.
    vi.stubEnv('DEV', false);
    return request;
  }

  test.each([
    ['of this device', {}, 1],
    ['not while it shows the alerts of an account', { person: 'ada', id: '1' }, 0],
    ['not of an earlier subscription', { endpoint: 'https://push.example/0' }, 0],
  ])('are changed with the subscription %s', async (_, note, requests) => {
    const request = await openDevice(note);
    expect(await endDeviceFollows()).toEqual(requests ? follows : []);
    expect(request).toHaveBeenCalledTimes(requests);
  });

  test('are not listed while the device shows the alerts of an account', async () => {
    const request = await openDevice({ person: 'ada', id: '1' });
    expect(await listDeviceFollows()).toBe('account');
    expect(request).not.toHaveBeenCalled();
  });
});
