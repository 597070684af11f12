import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSite } from '../../src/lib/cli/build.ts';
import { roundsOf, runRounds, textOf } from '../support/interruptions.ts';
import type { Bench } from './bench.ts';
import type { Finding } from './figures.ts';

/** Number and seed of the rounds: ROUNDS and SEED. */
const ROUNDS = Number(process.env.ROUNDS ?? 300);
const SEED = Number(process.env.SEED ?? 1);

/** A reporter whose connection, tab, browser and newsroom fail while updates are sent. */
export const outbox: Bench = {
  about:
    `${ROUNDS} updates are published, and while each is on its way one thing fails: the line is cut, slowed or flaps, an answer ` +
    `is lost, the tab is closed, the browser is killed, the server is started anew. Seed ${SEED}.`,
  head: 'updates',
  async run(endings) {
    await buildSite();
    const folder = endings.add(await mkdtemp(join(tmpdir(), 'stoppress-field-')), (path) =>
      rm(path, { recursive: true, force: true }),
    );
    const rounds = roundsOf(SEED, ROUNDS);
    const { texts, photos, seconds } = await runRounds(rounds, folder);
    const written = rounds.map((_, n) => textOf(n));
    const outOfOrder = texts.filter((text, n) => n > 0 && numberOf(text) < numberOf(texts[n - 1] ?? ''));
    const withoutPhoto = rounds.filter(
      ({ hasPhoto }, n) => hasPhoto && photos.get(textOf(n))?.join() !== textOf(n),
    );
    const none = (what: string, value: number, figures: Record<string, number> = {}): Finding => ({
      what,
      value,
      bound: { atMost: 0 },
      figures,
    });
    const lost = written.filter((text) => !texts.includes(text));
    return {
      findings: [
        none('lost', lost.length, { rounds: rounds.length, seconds }),
        none('twice', texts.length - new Set(texts).size),
        none('out of order', outOfOrder.length),
        none('without its photo', withoutPhoto.length),
      ],
      notes: [...lost, ...outOfOrder].map((text) => {
        const { interruption: harm, step } = rounds[numberOf(text) - 1] ?? { interruption: '', step: '' };
        return `${text}: ${harm} at ${step}`;
      }),
    };
  },
};

const numberOf = (text: string) => Number(/\d+/.exec(text)?.[0]);
