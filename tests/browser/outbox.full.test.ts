import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Round, runRounds, textOf } from '../support/interruptions.ts';

/** A sample of the frequent interruptions; `npm run bench -- outbox` runs hundreds. */
const rounds: Round[] = [
  { interruption: 'lost answer', step: 'words', hasPhoto: true },
  { interruption: 'tab', step: 'press', hasPhoto: false },
  { interruption: 'server', step: 'photo', hasPhoto: true },
  { interruption: 'browser', step: 'words', hasPhoto: false },
];

test('sends each update once, in order and with its photo, despite interruptions', {
  timeout: 240_000,
}, async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-field-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { texts, photos } = await runRounds(rounds, folder);
  expect(texts).toEqual(rounds.map((_, n) => textOf(n)));
  const expected = rounds.map(({ hasPhoto }, n) => (hasPhoto ? [textOf(n)] : []));
  expect(texts.map((text) => photos.get(text))).toEqual(expected);
});
