import { atom } from 'nanostores';
import { renderToReadableStream, renderToString } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { CoverageControls } from '../../src/islands/CoverageControls.tsx';
import { CoverageMenu } from '../../src/islands/CoverageMenu.tsx';
import type { ChannelState } from '../../src/islands/desk/channel.ts';
import { sharedDesk } from '../../src/islands/desk/desk.ts';
import { PresenceNote } from '../../src/islands/desk/notes.tsx';
import { UpdateComposer } from '../../src/islands/UpdateComposer.tsx';
import { UpdateList } from '../../src/islands/UpdateList.tsx';
import type { Role } from '../../src/lib/domain/permissions.ts';
import { english } from '../../src/lib/i18n/en/all.ts';
import { running, desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskPhotos as photoWords } from '../../src/lib/i18n/en/photos.ts';
import type { Language } from '../../src/lib/i18n/language.ts';
import { messagesFor } from '../../src/lib/i18n/messages.server.ts';
import { coverage, deskUpdate, person, published } from '../support/fake-desk.ts';

const backend = { publicUrl: '/', publishableKey: 'sb_publishable_x' };
const context = (role: Role, member = false, language: Language = 'en') => ({
  coverage,
  person: person(role, member),
  backend,
  language,
});

const updates = [
  deskUpdate({ headline: 'A draft' }),
  deskUpdate({ state: 'submitted', desk_note: 'Ring her.' }),
  published(2, { key_event: true, urgency: 'important', corrected_at: '2026-11-21T12:00:00+00:00' }),
  published(1, {
    state: 'withdrawn',
    body: [],
    withdrawn_reason: 'Not so.',
    withdrawn_at: '2026-11-21T12:00:00+00:00',
  }),
];

test('renders two islands at the same time, each in its own language', async () => {
  const render = async (language: Language) => {
    const composer = <UpdateComposer {...context('editor', false, language)} />;
    const controls = <CoverageControls {...context('editor', false, language)} />;
    return new Response(
      await renderToReadableStream(
        <>
          {composer}
          {controls}
        </>,
      ),
    ).text();
  };
  const [english, spanish, again] = await Promise.all([render('en'), render('es'), render('en')]);
  expect(english).toContain(`>${messagesFor('en').composer.title}<`);
  expect(spanish).toContain(`>${messagesFor('es').composer.title}<`);
  expect(spanish).not.toContain(`>${messagesFor('en').composer.title}<`);
  expect(again).toBe(english);
});

describe('the composer', () => {
  test('offers the actions of the role', () => {
    expect(renderToString(<UpdateComposer {...context('editor')} />)).toMatch(/Publish.*Save draft/s);
    const contributor = renderToString(<UpdateComposer {...context('contributor', true)} />);
    expect(contributor).toMatch(/Submit.*Save draft/s);
    expect(contributor).not.toContain('Publish');
  });

  test('is missing for people who do not write', () => {
    expect(renderToString(<UpdateComposer {...context('moderator')} />)).not.toContain('textarea');
  });

  test('offers urgent to editors only', () => {
    expect(renderToString(<UpdateComposer {...context('editor')} />)).toContain('value="urgent"');
    expect(renderToString(<UpdateComposer {...context('reporter')} />)).not.toContain('value="urgent"');
  });

  test('has a toolbar with one tab stop, and names folded fields', () => {
    const html = renderToString(<UpdateComposer {...context('editor')} />);
    expect(html).toMatch(/role="toolbar"[^>]*aria-label="Formatting"/);
    expect(html.match(/class="tool [^>]*tabindex="0"/gi)).toHaveLength(1);
    expect(html.match(/class="tool [^>]*tabindex="-1"/gi)).toHaveLength(5);
    expect(html).toContain('aria-keyshortcuts="Control+b Meta+b"');
    for (const said of [
      'Headline',
      'Verification',
      'When it happened (Europe/Dublin)',
      'Byline',
      'Desk note',
    ]) {
      expect(html).toContain(said);
    }
  });

  test('is disabled until its script has loaded', () => {
    expect(renderToString(<UpdateComposer {...context('editor')} />)).toContain(
      '<fieldset class="bare" disabled',
    );
  });
});

test('selects several photos beside the text', () => {
  const html = renderToString(<UpdateComposer {...context('editor')} />);
  expect(html).toMatch(/Add photos<input[^>]*type="file" accept="image\/jpeg,[^"]*" multiple=""/);
});

describe('the update list', () => {
  test('shows available photos, and counts the others', () => {
    const id = 'd0000000-0000-4000-8000-000000000000';
    const words = { alt: 'The gate', caption: null, credit: null };
    const none = { width: null, height: null, renditions: [], refusal_code: null };
    const ready = { ...none, ...words, id, state: 'ready' as const, width: 1600, height: 1067 };
    const photos = [ready, { ...ready, ...none, id: 'x', state: 'uploading' as const }];
    const rows = [published(2, { photos }), published(1, { photos, state: 'withdrawn', body: [] })];
    const html = renderToString(<UpdateList {...context('editor')} updates={rows} drafts={null} />);
    expect(
      html.match(new RegExp(`<img[^>]*src="/desk/photos/${id}/480" alt="The gate" width="1600"`, 'g')),
    ).toHaveLength(1);
    expect(html).toContain(photoWords.row.uploading(1));
  });

  test('is complete without scripts: states, times in the zone, and actions', () => {
    const html = renderToString(<UpdateList {...context('editor')} updates={updates} drafts={null} />);
    for (const words of [
      'A draft',
      'Submitted',
      'Ring her.',
      'Key event',
      'Important',
      'Corrected',
      'Not so.',
    ]) {
      expect(html).toContain(words);
    }
    expect(html).toContain('href="/live/storm/2"');
    expect(html).toMatch(/datetime="2026-11-21T11:00:00Z"/i);
  });

  test('offers no actions to people who only read', () => {
    const html = renderToString(<UpdateList {...context('moderator')} updates={updates} drafts={null} />);
    expect(html).not.toContain('row-actions');
  });
});

test('the state of a coverage can be changed by editors, and seen by others', () => {
  const editor = renderToString(<CoverageMenu {...context('editor')} />);
  expect(editor).toMatch(/Pause.*End.*Withdraw coverage.*Settings/s);
  const reporter = renderToString(<CoverageMenu {...context('reporter')} />);
  expect(reporter).toContain('Live');
  expect(reporter).not.toContain('<button');
  expect(editor).toContain(running.means.paused);
});

test('a quiet coverage is reported to people who can change its state', () => {
  const silent = { ...coverage, quiet_since: '2026-11-20T02:00:00+00:00' };
  const controls = (role: 'editor' | 'reporter', part = silent) =>
    renderToString(<CoverageControls {...context(role)} coverage={part} />);
  expect(controls('editor')).toMatch(/No updates since 20 Nov.*End.*Pause.*Keep live/s);
  for (const html of [controls('reporter'), controls('editor', { ...silent, quiet_since: '' })]) {
    expect(html).not.toContain(running.silent.choose);
  }
});

test('the line of present people has its space before anyone is known', () => {
  expect(renderToString(<CoverageControls {...context('reporter')} />)).toContain('<p class="here"></p>');
});

test.for<[ChannelState, string]>([
  ['opening', ''],
  // The names are being read.
  ['joined', ''],
  ['lost', words.presence.unknown],
])('while nobody is known, the line of present people of a channel that is %s says "%s"', ([state, text]) => {
  const { presence } = sharedDesk(english, context('reporter'));
  const html = renderToString(<PresenceNote presence={presence} $channelState={atom(state)} />);
  expect(html).toContain(`<p class="here">${text}</p>`);
});
