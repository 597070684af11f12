/** How long the page says that the link was copied, in milliseconds. */
const STATUS_MS = 4000;

/**
 * Makes the links of class `share` open the share dialog of the device, or copy their address where there is none.
 * Without this script they are permalinks. Links with a modifier key keep their meaning.
 */
export function shareOnPress(): void {
  // Later the title also counts the updates that wait.
  const { title } = document;
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a.share') : null;
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // An update is shared by its own headline.
    void share(link.href, link.closest('article')?.querySelector('h3')?.textContent ?? title);
  });
}

async function share(url: string, title: string): Promise<void> {
  try {
    // Missing on most desktops, and over plain HTTP.
    if (typeof navigator.share === 'function') return await navigator.share({ title, url });
  } catch (error) {
    // The reader has closed the dialog.
    if (error instanceof DOMException && error.name === 'AbortError') return;
  }
  try {
    await navigator.clipboard.writeText(url);
    showCopied();
  } catch {
    // The address bar shows the address to copy.
    location.assign(url);
  }
}

let timer: ReturnType<typeof setTimeout>;

function showCopied(): void {
  const status = document.getElementById('share-status');
  if (!status) return;
  status.textContent = status.dataset.copied ?? '';
  clearTimeout(timer);
  timer = setTimeout(() => {
    status.textContent = '';
  }, STATUS_MS);
}
