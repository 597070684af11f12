import { $held } from '../stores/feed.ts';

/** Shows in the page's title, and so on its tab, how many updates are held. Answers a function that ends it. */
export function showHeldCount(): () => void {
  const title = document.title;
  return $held.listen((count) => {
    document.title = count > 0 ? `(${count}) ${title}` : title;
  });
}
