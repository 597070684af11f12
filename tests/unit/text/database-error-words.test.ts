import { describe, expect, it } from 'vitest';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { errorMessages as englishErrors } from '../../../src/lib/i18n/en/database-errors.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import { errorMessages as spanishErrors } from '../../../src/lib/i18n/es/database-errors.ts';

describe.each([
  ['English', english, englishErrors],
  ['Spanish', spanish, spanishErrors],
])('%s sentences for errors of the database use the words of the interface', (_name, messages, errors) => {
  const { desk, composer, tipQueue, photoLibrary, invites } = messages;

  it.each(Object.entries(desk.states))('for a coverage that is %s', (state, word) => {
    const other = state === 'draft' ? 'live' : 'draft';
    expect(errors.invalid_state_change({ state, new_state: other })).toContain(word.toLowerCase());
    expect(errors.invalid_state_change({ state: other, new_state: state })).toContain(word.toLowerCase());
  });

  it.each([
    ['role', desk.roles],
    ['urgency', desk.urgencies],
    ['verification', composer.verifications],
    ['reader follow mode', desk.following.ways],
    ['view of the tip queue', { ...tipQueue.views, all: tipQueue.all }],
  ] as [string, Record<string, string>][])('for each %s', (_enum, words) => {
    const sentence = errors.unknown_choice({ choices: Object.keys(words) });
    const quoted = [...sentence.matchAll(/[“«]([^”»]*)[”»]/g)].map(([, word]) => word);
    expect(quoted).toEqual(Object.values(words).map((word) => word.toLowerCase()));
  });

  it.each(['ready', 'refused', 'removed'] as const)('for a photo that is %s', (state) => {
    expect(errors.photo_already_processed({ state })).toContain(
      ` ${photoLibrary.states[state].toLowerCase()}`,
    );
  });

  it.each(['accepted', 'revoked'] as const)('for an invitation that is %s', (state) => {
    expect(errors.invite_not_pending({ state })).toContain(` ${invites.states[state]}`);
  });
});
