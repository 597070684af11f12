/** Permissions of a player: to play with sound, protected videos too, and fill the screen. */
const FEATURES = 'autoplay; encrypted-media; fullscreen';
/** A player runs its own scripts on its own origin. It may not open windows or leave its frame. */
const SANDBOX = 'allow-scripts allow-same-origin allow-presentation';

/**
 * Replaces links by the buttons that load players of other sites. In updates that arrive later it replaces those whose
 * player the page's security policy allows: at the host of a player that the page was sent with. Others remain links.
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
}

/** The buttons that the style sheet hides. */
const buttons = () => [...document.querySelectorAll<HTMLElement>('.play > a + [data-player]')];
const originOf = (button: HTMLElement) => new URL(button.dataset.player ?? '').origin;

/** Puts the player over the frame or the poster, which has its size already. */
function play(button: HTMLElement): void {
  const media = button.closest('.media');
  const player = document.createElement('iframe');
  player.title = media?.querySelector('.link-block > a')?.textContent ?? '';
  player.allow = FEATURES;
  player.setAttribute('sandbox', SANDBOX);
  // Players refuse sites that they do not know. They learn the origin, not the page.
  player.referrerPolicy = 'strict-origin';
  player.src = button.dataset.player ?? '';
  media?.querySelector('.frame')?.append(player);
  button.parentElement?.remove();
  player.focus();
}
