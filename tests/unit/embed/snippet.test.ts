import { Script } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { embedSnippet } from '../../../src/lib/publishing/embeds.ts';

beforeEach(() => void vi.stubEnv('SITE_URL', 'https://news.example'));
afterEach(() => void vi.unstubAllEnvs());

type Message = { origin: string; source: unknown; data: unknown };

/** A page with frames and several copies of the snippet's script. */
function host(snippet: string, times = 1) {
  const windows = [{}, {}];
  const frames = windows.map((contentWindow) => ({ contentWindow, style: { height: '' } }));
  const listeners: ((message: Message) => void)[] = [];
  const script = new Script(/<script>([\s\S]*)<\/script>/.exec(snippet)?.[1] ?? '');
  for (let n = 0; n < times; n++) {
    script.runInNewContext({
      addEventListener: (_: string, listener: (message: Message) => void) => listeners.push(listener),
      document: { getElementsByTagName: () => frames },
    });
  }
  return {
    windows,
    receive: (message: Partial<Message>) => {
      const whole = { origin: 'https://news.example', source: windows[1], data: null, ...message };
      for (const listener of listeners) listener(whole);
      return frames.map(({ style }) => style.height);
    },
  };
}

const height = (value: unknown) => ({ type: 'stoppress:height', height: value });

test.for([1, 3])('sets the height of its own frame only, pasted %d times', (times) => {
  const page = host(embedSnippet({ slug: 'river', headline: 'The river' }), times);
  expect(page.receive({ data: height(1234) })).toEqual(['', '1234px']);
  expect(page.receive({ data: height(900), source: page.windows[0] })).toEqual(['900px', '1234px']);
});

test.for<[string, Partial<Message>]>([
  ['from another origin', { origin: 'https://evil.example', data: height(1) }],
  ['from a frame without an origin', { origin: 'null', data: height(1) }],
  ['from a window that is not a frame of the page', { source: {}, data: height(1) }],
  ['of another type', { data: { type: 'other', height: 1 } }],
  ['without data', { data: null }],
  ['with text as data', { data: 'stoppress:height' }],
  ['without a number', { data: height('1px;position:fixed') }],
  ['with a negative height', { data: height(-1) }],
  ['with an excessive height', { data: height(1e9) }],
])('ignores a message %s', ([, message]) => {
  const page = host(embedSnippet({ slug: 'river', headline: 'The river' }));
  expect(page.receive(message)).toEqual(['', '']);
});

test('escapes the headline in its attribute', () => {
  const snippet = embedSnippet({ slug: 'river', headline: `"><script>alert('x')</script> & more` });
  expect(snippet.match(/<script>/g)).toHaveLength(1);
  expect(snippet).toContain('title="&quot;&gt;&lt;script&gt;');
});
