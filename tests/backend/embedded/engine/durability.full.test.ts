import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { newDataFolder, removeData } from '../../../support/data-folders.ts';
import { createNewsroom, paragraph, type SavedUpdate } from '../../../support/newsroom.ts';
import { freePort } from '../../../support/processes.ts';
import { allRows, findInconsistencies } from '../../../support/stored-data.ts';

/** Number of kills in each run. `KILLS=100` runs longer. */
const ROUNDS = Number(process.env.KILLS ?? 4);
const AT_ONCE = 200;

/** A command. Its arguments contain its idempotency key, so repeating it writes once. */
type Press = {
  name: 'publish_update' | 'revise_update';
  args: { idempotency_key: string; update_id: string; content: { headline: string } } & Record<
    string,
    unknown
  >;
};

let data: string;
let port: string;
let backend: TestBackend;
beforeAll(async () => {
  data = await newDataFolder();
  port = String(await freePort());
  backend = await start();
});
afterAll(async () => {
  await backend.kill();
  await removeData(data);
});

const start = () => startBackend({ data, environment: { EMBEDDED_SUPABASE_PORT: port } });

const content = (headline: string) => ({ headline, body: [paragraph(headline)] });

test('after kill -9 during two hundred writes, acknowledged writes exist once and no write is incomplete', {
  timeout: ROUNDS * 15_000,
}, async () => {
  const { people, coverage } = await createNewsroom({ ...backend, service: serviceClient(backend) });
  const reporter = people.reporter.client;
  const press = ({ name, args }: Press) => reporter.rpc(name, args);

  const presses: Press[] = [];
  const acknowledged = new Map<Press, SavedUpdate>();
  /** Updates with a known state. */
  const settled: SavedUpdate[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    const revising = settled.splice(0, AT_ONCE / 2);
    const wave = Array.from({ length: AT_ONCE }, (_, n): Press => {
      const idempotency_key = randomUUID();
      const known = revising[n];
      return known
        ? {
            name: 'revise_update',
            args: {
              idempotency_key,
              update_id: known.id,
              version: known.version,
              content: content(`${round} ${n}`),
            },
          }
        : {
            name: 'publish_update',
            args: {
              idempotency_key,
              coverage_id: coverage.id,
              update_id: randomUUID(),
              content: content(`${round} ${n}`),
            },
          };
    });
    presses.push(...wave);
    // Each round kills the backend after a different number of responses.
    const enough = 3 + ((round * 41) % 80);
    let answered = 0;
    let killed: Promise<void> | undefined;
    await Promise.all(
      wave.map(async (one) => {
        const { data: saved, error, status } = await press(one);
        if (!error) {
          acknowledged.set(one, saved as SavedUpdate);
          settled.push(saved as SavedUpdate);
          answered += 1;
          if (answered === enough) killed = backend.kill();
        } else if (status !== 0) throw new Error(`${one.name}: ${error.message} ${error.details}`);
      }),
    );
    await killed;
    expect(answered).toBeGreaterThanOrEqual(enough);
    expect(answered).toBeLessThan(AT_ONCE);
    backend = await start();
  }

  const service = serviceClient(backend);
  expect(await findInconsistencies(service)).toEqual([]);
  expect(await missing(service, [...acknowledged])).toEqual([]);

  // Repeats some unanswered commands, which must not write twice.
  const unanswered = presses.filter((one) => !acknowledged.has(one)).filter((_, n) => n % 8 === 0);
  const again = await Promise.all(unanswered.map(press));
  expect(again.filter(({ error }) => error)).toEqual([]);
  const results = again.map(({ data: saved }) => saved as SavedUpdate);
  expect(
    await missing(
      service,
      unanswered.map((one, n) => [one, results[n] as SavedUpdate]),
    ),
  ).toEqual([]);
  expect(await findInconsistencies(service)).toEqual([]);
});

/** Returns the acknowledged writes that differ from the database. */
async function missing(
  service: ReturnType<typeof serviceClient>,
  acknowledged: [Press, SavedUpdate][],
): Promise<string[]> {
  type Revision = { update_id: string; version: number; content: { headline: string } };
  const columns = 'update_id, version, content';
  const revisions = await allRows<Revision>(service, 'update_revisions', columns, 'update_id', 'version');
  const headlines = new Map(
    revisions.map(({ update_id, version, content }) => [`${update_id} ${version}`, content.headline]),
  );
  type Change = { update_id: string; seq: number };
  const changes = await allRows<Change>(service, 'coverage_changes', 'update_id, seq', 'update_id', 'seq');
  const changed = new Map(changes.map(({ update_id, seq }) => [seq, update_id]));
  return acknowledged
    .filter(
      ([{ args }, { id, version, seq }]) =>
        headlines.get(`${id} ${version}`) !== args.content.headline || changed.get(seq) !== id,
    )
    .map(([{ name, args }]) => `${name} ${args.content.headline}`);
}
