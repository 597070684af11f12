/* Follows live coverages on an open page. WordPress cleans the HTML that this script inserts. */
for (const block of document.querySelectorAll('.wp-block-stoppress-live-coverage[data-part]')) {
  const { dataset } = block;
  const updates = (root) => root.querySelectorAll('article[data-number]');
  /** Time of the next check. A coverage that has ended rarely changes. */
  const next = () => {
    const slow = block.querySelector('[data-status="ended"]') ? 8 : 1;
    return Date.now() + dataset.seconds * slow * (1000 + Math.random() * 333);
  };
  // The page may come from a cache, so the first check comes early.
  let due = Date.now() + Math.random() * 5000;

  /** Changes the block without moving what stands at a third of the screen. */
  const keepPlace = (change) => {
    const page = document.documentElement.style;
    const seen = document.elementFromPoint(innerWidth / 2, innerHeight / 3);
    const place = (block.contains(seen) && seen.closest('article[data-number]')) || seen;
    const number = place?.dataset.number;
    const top = place?.getBoundingClientRect().top;
    page.overflowAnchor = 'none';
    change();
    const now = place?.isConnected ? place : block.querySelector(`article[data-number="${number}"]`);
    if (now) scrollBy({ top: now.getBoundingClientRect().top - top, behavior: 'instant' });
    page.overflowAnchor = '';
  };

  /** Adds the button once: a new one would take the focus away and be announced again. */
  const addButton = (show) => {
    let button = block.querySelector('.wp-block-stoppress-live-coverage__new');
    if (!button) {
      button = document.createElement('button');
      button.className = 'wp-block-stoppress-live-coverage__new';
      button.textContent = dataset.more;
      block.prepend(button);
    }
    button.onclick = () => {
      show();
      block.scrollIntoView();
    };
  };

  const apply = ({ html, version }) => {
    if (version === dataset.version) return;
    const show = () => {
      block.innerHTML = html;
      dataset.version = version;
    };
    const { top, bottom } = block.getBoundingClientRect();
    const isUsed = block.contains(document.activeElement) || !getSelection().isCollapsed;
    if (!isUsed && top >= 0) return show();
    if (!isUsed && bottom <= 0) return keepPlace(show);
    // It is being read: known updates change in place, and a button shows the others.
    const page = document.createElement('template');
    page.innerHTML = html;
    // A withdrawn coverage disappears at once. A part without updates changes as a whole.
    if (!page.content.querySelector('.stoppress')) return show();
    if (updates(page.content).length === 0) return addButton(show);
    const shown = new Map([...updates(block)].map((update) => [update.dataset.number, update]));
    keepPlace(() => {
      for (const update of updates(page.content)) {
        const old = shown.get(update.dataset.number);
        if (!old) addButton(show);
        else if (old.dataset.seq !== update.dataset.seq) old.replaceWith(update);
      }
    });
  };

  const check = () => {
    if (document.hidden || Date.now() < due) return;
    due = next();
    fetch(dataset.part, { credentials: 'omit' })
      .then((response) => response.ok && response.json())
      .then((part) => part && apply(part))
      .catch(() => {});
  };
  setInterval(check, 1000);
  document.addEventListener('visibilitychange', check);
}
