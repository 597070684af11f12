import { afterAll, expect, test } from 'vitest';
import { Endings } from '../bench/endings.ts';
import { isKept, table } from '../bench/figures.ts';
import { SAMPLE } from './crowds.ts';
import { soak } from './soak.ts';

const endings = new Endings();
afterAll(() => endings.run());

test('serves readers, followers, a reporter and tips together for a minute, and survives an overload', async () => {
  const { findings, wrong } = await soak(endings, 60 - SAMPLE.beyond.seconds, SAMPLE);
  console.log(table('', findings).join('\n'));
  expect(wrong).toEqual([]);
  expect(findings.filter((finding) => !isKept(finding))).toEqual([]);
});
