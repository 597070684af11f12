import { $held } from '../stores/feed.ts';

/** Shows the number of held updates in the page's title. Returns a function that stops it. */
export function showHeldCount(): () => void {
  const title = document.title;
  return $held.listen((count) => {
    document.title = count > 0 ? `(${count}) ${title}` : title;
  });
}
