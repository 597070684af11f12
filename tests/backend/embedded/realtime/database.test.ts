import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrap } from '../../../../supabase/embedded/bootstrap.ts';
import type { Engine } from '../../../../supabase/embedded/engine/engine.ts';
import { openEngine } from '../../../../supabase/embedded/engine/open.ts';
import { newDataFolder, removeData } from '../../../support/data-template.ts';
import { whereIs } from '../../../support/engine.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* What the database has of Realtime, as a hosted project's has it. */

let data: string;
let engine: Engine;
beforeAll(async () => {
  data = await newDataFolder(PROBE_SCHEMA);
  engine = await openEngine({ data, databaseUrl: whereIs(data).DATABASE_URL }, () => {});
});
afterAll(async () => {
  await engine.close();
  await removeData(data);
});

const rows = async <Row>(query: string) =>
  (await engine.transaction((session) => session.query<Row>(query))).rows;

test('a message is a row with an id in its payload', async () => {
  await engine.exec(`select realtime.send('{"seq": 7}', 'change', 'site')`);
  const [message] = await rows<{ id: string }>('select * from realtime.messages');
  expect(message).toMatchObject({
    topic: 'site',
    extension: 'broadcast',
    event: 'change',
    private: true,
    payload: { seq: 7, id: message?.id },
  });
  await bootstrap(engine);
  expect(await rows('select id from realtime.messages')).toEqual([{ id: message?.id }]);
});
