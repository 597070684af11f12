import { PAGES } from './names.ts';

/** Lists the pages that are saved on this device, the newest first, each with when it was made. */
export async function listSavedPages(): Promise<void> {
  const list = document.getElementById('saved-pages');
  const nothing = document.getElementById('nothing-saved');
  if (!list || !nothing || !('caches' in window)) return;
  const saved = await readPages();
  list.replaceChildren(...saved.map(({ line }) => line));
  list.hidden = saved.length === 0;
  nothing.hidden = saved.length > 0;
  const button = document.getElementById('forget-pages');
  if (!button) return;
  button.hidden = saved.length === 0;
  button.addEventListener('click', () => forgetPages(button, list, nothing), { once: true });
}

/** On a device that others use too. */
async function forgetPages(button: HTMLElement, list: HTMLElement, nothing: HTMLElement): Promise<void> {
  await caches.delete(PAGES);
  // It has notes of its own, of when each of them was used.
  navigator.serviceWorker.controller?.postMessage({ clear: true });
  list.hidden = true;
  button.hidden = true;
  nothing.textContent = button.dataset.forgotten ?? '';
  nothing.hidden = false;
  nothing.focus();
}

type Saved = { line: HTMLElement; madeAt: string };

async function readPages(): Promise<Saved[]> {
  const pages = await caches.open(PAGES);
  const saved = await Promise.all(
    (await pages.keys()).map(async (request) => {
      const page = await pages.match(request, { ignoreVary: true });
      const { pathname, search } = new URL(request.url);
      return page ? lineOf(pathname + search, await page.text()) : [];
    }),
  );
  return saved.flat().sort((a, b) => b.madeAt.localeCompare(a.madeAt));
}

function lineOf(path: string, html: string): Saved[] {
  // Its styles are not those of the page that reads it, whose policy would refuse them.
  const page = new DOMParser().parseFromString(html.replace(/<style.*?<\/style>/gs, ''), 'text/html');
  const time = page.querySelector<HTMLTimeElement>('#saved time');
  if (!time) return [];
  const line = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  link.textContent = page.title;
  const made = document.createElement('small');
  // The time, and the day that stands after it.
  made.textContent = `${time.textContent}${time.nextSibling?.textContent ?? ''}`.trim();
  line.append(link, ' ', made);
  return [{ line, madeAt: time.dateTime }];
}
