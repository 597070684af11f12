import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import LiveFeed from '../../src/islands/LiveFeed.tsx';

test('on the server it is what the page has without a script, and an empty place for announcements', () => {
  const clock = { timeZone: 'Europe/Dublin', language: 'en' };
  const html = renderToString(
    <LiveFeed clock={clock}>
      <p id="status">Live</p>
    </LiveFeed>,
  );
  expect(html).toBe('<p id="status">Live</p><p role="status" class="visually-hidden"></p>');
});
