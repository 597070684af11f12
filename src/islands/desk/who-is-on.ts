import { readRoster } from '../../lib/data/desk.ts';
import { colleaguesOf, type Presence } from '../../lib/domain/presence.ts';
import { desk as messages } from '../../lib/i18n/desk.ts';
import { listed } from '../../lib/i18n/plural.ts';
import { deskBackend } from './backend.ts';
import { loadMessages } from './messages.ts';

/** Desks that are listened to at once: one more line each. */
const MOST = 10;

/**
 * Says beside each coverage that runs who is at its desk, for as long as the page is open. Whoever looks from here is not
 * at any of them.
 */
export async function showWhoIsOn(): Promise<void> {
  const { person = '', url = '/', key = '' } = document.body.dataset;
  const places = [...document.querySelectorAll<HTMLElement>('[data-desk]')].slice(0, MOST);
  if (places.length === 0) return;
  await loadMessages();
  const backend = deskBackend({ publicUrl: url, publishableKey: key }, person);
  for (const place of places) {
    const id = place.dataset.desk ?? '';
    const show = (names: string[]) => {
      place.textContent = names.length > 0 ? messages.presence.here(listed(names)) : '';
    };
    const nothing = () => {};
    backend.openLine(id, {
      joined: nothing,
      lost: () => show([]),
      closed: () => show([]),
      update: nothing,
      photo: nothing,
      coverage: nothing,
      async present(presences: Presence[]) {
        const roster = await backend.read((client) => readRoster(client, id)).catch(() => []);
        show(colleaguesOf(presences, roster, '').map(({ name }) => name));
      },
    });
  }
}
