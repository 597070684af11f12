import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import LiveFeed from '../../src/islands/LiveFeed.tsx';

test("renders the page's status without scripts, and an empty live region", () => {
  const clock = { timeZone: 'Europe/Dublin', language: 'en' };
  const html = renderToString(
    <LiveFeed clock={clock}>
      <p id="status">Live</p>
    </LiveFeed>,
  );
  expect(html).toBe(
    '<p id="status">Live</p><p role="status" class="visually-hidden"></p><p role="alert" class="visually-hidden"></p>',
  );
});
