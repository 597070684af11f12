import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { lawSentence } from '../../../src/lib/i18n/database-errors.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import { speakingIn } from '../../../src/lib/i18n/request-language.server.ts';

const MIGRATIONS = 'supabase/migrations';

/** Every sentence that a migration says to people, in the pieces in which it stands there. */
async function saidByTheLaw(): Promise<string[]> {
  const files = await Promise.all(
    (await readdir(MIGRATIONS)).map((name) => readFile(`${MIGRATIONS}/${name}`, 'utf8')),
  );
  const sql = files.join('\n').replaceAll(/\/\*[\s\S]*?\*\/|--.*/g, '');
  const texts = [...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = '']) => text.replaceAll("''", "'"));
  return texts.filter((text) => /^[A-Z][a-z]*,? [a-z].*[.: ]$/s.test(text));
}

test('whatever the database says of a refusal can be said in Spanish', async () => {
  const known = spanish.law.sentences.map(([asItIs]) => asItIs);
  const unknown = (await saidByTheLaw()).filter(
    (text) => !known.some((sentence) => sentence === text || sentence.startsWith(`${text}%s`)),
  );
  expect(unknown).toEqual([]);
});

test('what the database puts into a sentence stands in it in Spanish', () => {
  speakingIn('es', () => {
    expect(lawSentence('Use at most 40 blocks: this has 41.')).toBe(
      'Use 40 bloques como mucho: esto tiene 41.',
    );
    expect(lawSentence('Nobody has said this.')).toBe('Nobody has said this.');
  });
  expect(lawSentence('Choose a role.')).toBe('Choose a role.');
});
