/** Permissions of a player: to play with sound, protected videos too, and fill the screen. */
const FEATURES = 'autoplay; encrypted-media; fullscreen';
/** A player runs its own scripts on its own origin. It may not open windows or leave its frame. */
const SANDBOX = 'allow-scripts allow-same-origin allow-presentation';

/**
 * Replaces links by the buttons that load players of other sites. In updates that arrive later it replaces those whose
 * player the page's security policy allows: at the host of a player that the page was sent with. Others remain links.
 * Links to files of the newsroom play them in the page.
 */
export function showPlayers(): void {
  const allowed = new Set(buttons().map(originOf));
  const reveal = () => {
    for (const button of buttons()) {
      if (allowed.has(originOf(button))) button.previousElementSibling?.remove();
    }
  };
  reveal();
  new MutationObserver(reveal).observe(document.body, { childList: true, subtree: true });
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>('[data-player]');
    if (button) play(button);
  });
  playFiles();
}

let playsFiles = false;

/**
 * Lets links to files of the newsroom play them in the page. The live feed calls it when a file arrives, because the
 * page may have been sent without players.
 */
export function playFiles(): void {
  if (playsFiles) return;
  playsFiles = true;
  document.addEventListener('click', (event) => {
    const { target } = event;
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[data-file]');
    // A page that was sent with players has a copy of this module, which has played the file already.
    if (!link || event.defaultPrevented) return;
    // A press with a key opens the file elsewhere.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    playFile(link);
  });
}

/** The buttons that the style sheet hides. */
const buttons = () => [...document.querySelectorAll<HTMLElement>('.play > a + [data-player]')];
const originOf = (button: HTMLElement) => new URL(button.dataset.player ?? '').origin;

const titleOf = (button: HTMLElement) =>
  button.closest('.media')?.querySelector('.link-block > a')?.textContent ?? '';

/** Puts the player over the frame or the poster, which has its size already, or in place of the button. */
function show(player: HTMLElement, button: HTMLElement): void {
  const frame = button.closest('.media')?.querySelector('.frame');
  if (player instanceof HTMLAudioElement || !frame) button.parentElement?.replaceWith(player);
  else {
    frame.append(player);
    button.parentElement?.remove();
  }
  player.focus();
}

function play(button: HTMLElement): void {
  const player = document.createElement('iframe');
  player.title = titleOf(button);
  player.allow = FEATURES;
  player.setAttribute('sandbox', SANDBOX);
  // Players refuse sites that they do not know. They learn the origin, not the page.
  player.referrerPolicy = 'strict-origin';
  player.src = button.dataset.player ?? '';
  show(player, button);
}

function playFile(link: HTMLAnchorElement): void {
  const player = document.createElement(link.dataset.file === 'audio' ? 'audio' : 'video');
  player.controls = true;
  player.preload = 'none';
  player.setAttribute('playsinline', '');
  player.setAttribute('aria-label', titleOf(link));
  player.src = link.href;
  show(player, link);
  // A browser that refuses to play shows the controls.
  void player.play().catch(() => undefined);
}
