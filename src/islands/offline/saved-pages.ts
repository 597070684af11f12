import { OFFLINE_PATH, PAGES } from './names.ts';

/** Lists the saved pages of this device, newest first, with their times. */
export async function listSavedPages(): Promise<void> {
  if (location.pathname === OFFLINE_PATH) showOnlySaved();
  const list = document.getElementById('saved-pages');
  const emptyNote = document.getElementById('nothing-saved');
  if (!list || !emptyNote || !('caches' in window)) return;
  const saved = await readPages();
  list.replaceChildren(...saved.map(({ item }) => item));
  list.hidden = saved.length === 0;
  emptyNote.hidden = saved.length > 0;
  const button = document.getElementById('forget-pages');
  if (!button) return;
  button.hidden = saved.length === 0;
  button.addEventListener('click', () => deletePages(button, list, emptyNote), { once: true });
}

/** Hides the error at the page's own address, where the page replaces no page that could not be loaded. */
function showOnlySaved(): void {
  const heading = document.querySelector('h1');
  const title = document.getElementById('saved-title')?.textContent;
  if (!heading || !title) return;
  document.title = document.title.replace(heading.textContent ?? '', title);
  heading.textContent = title;
  for (const part of document.querySelectorAll<HTMLElement>('.unreachable')) part.hidden = true;
}

/** Deletes the saved pages, for shared devices. */
async function deletePages(button: HTMLElement, list: HTMLElement, emptyNote: HTMLElement): Promise<void> {
  await caches.delete(PAGES);
  // The worker stores when each page was last used.
  navigator.serviceWorker.controller?.postMessage({ clear: true });
  list.hidden = true;
  button.hidden = true;
  emptyNote.textContent = button.dataset.forgotten ?? '';
  emptyNote.hidden = false;
  emptyNote.focus();
}

type SavedItem = { item: HTMLElement; madeAt: string };

async function readPages(): Promise<SavedItem[]> {
  const pages = await caches.open(PAGES);
  const saved = await Promise.all(
    (await pages.keys()).map(async (request) => {
      const page = await pages.match(request, { ignoreVary: true });
      const { pathname, search } = new URL(request.url);
      return page ? itemOf(pathname + search, await page.text()) : [];
    }),
  );
  return saved.flat().sort((a, b) => b.madeAt.localeCompare(a.madeAt));
}

function itemOf(path: string, html: string): SavedItem[] {
  // The Content Security Policy of this page would reject the saved page's styles.
  const page = new DOMParser().parseFromString(html.replace(/<style.*?<\/style>/gs, ''), 'text/html');
  const time = page.querySelector<HTMLTimeElement>('#saved time');
  if (!time) return [];
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  link.textContent = page.title;
  const madeText = document.createElement('small');
  // The time and the day after it.
  madeText.textContent = `${time.textContent}${time.nextSibling?.textContent ?? ''}`.trim();
  item.append(link, ' ', madeText);
  return [{ item, madeAt: time.dateTime }];
}
