import { readRoster } from '../../lib/data/desk.ts';
import { colleaguesOf, type Presence } from '../../lib/domain/desk.ts';
import { desk } from '../../lib/i18n/en/desk.ts';
import { documentLanguage, type Language } from '../../lib/i18n/language.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';
import { formatList } from '../../lib/i18n/plural.ts';
import { loadMessages } from '../network/load-messages.ts';
import { deskBackend } from './backend.ts';

// The overview of the desk does not load the messages of its other islands.
const messagesOf = islandMessages({ language: 'en' as Language, desk });

/** Limit of joined channels. */
const MAX_CHANNELS = 10;

/** Shows beside each running coverage who is at its desk, while the page is open. The viewer is not counted. */
export async function showPresenceSummary(): Promise<void> {
  const { person = '', url = '/', key = '' } = document.body.dataset;
  const elements = [...document.querySelectorAll<HTMLElement>('[data-desk]')].slice(0, MAX_CHANNELS);
  if (elements.length === 0) return;
  await loadMessages();
  const messages = messagesOf(documentLanguage());
  const backend = deskBackend({ publicUrl: url, publishableKey: key }, person);
  for (const element of elements) {
    const id = element.dataset.desk ?? '';
    const show = (names: string[]) => {
      element.textContent =
        names.length > 0 ? messages.desk.presence.here(formatList(names, messages.language)) : '';
    };
    const ignore = () => {};
    backend.joinDesk(id, {
      joined: ignore,
      lost: () => show([]),
      closed: () => show([]),
      update: ignore,
      photo: ignore,
      coverage: ignore,
      async present(presences: Presence[]) {
        const roster = await backend.read((client) => readRoster(client, id)).catch(() => []);
        show(colleaguesOf(presences, roster, '').map(({ name }) => name));
      },
    });
  }
}
