import { randomUUID } from 'node:crypto';
import { type Actor, contentOf, createCoverage, type TestContext } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';

/** The row of a person. */
export const rowOf = async ({ service }: TestContext, id: string) =>
  (await service.from('people').select('*').eq('id', id).single()).data;

/** The public row of a person. */
export const shownOf = async ({ actors: parties }: TestContext, id: string) =>
  (await parties.visitor.client.from('people').select('handle, display_name, bio').eq('id', id)).data;

/** Publishes an update with a person's byline in a new coverage. */
export async function publishAs({ service }: TestContext, { client }: Pick<Actor, 'client'>) {
  const scene = { coverage_id: await createCoverage(service), update_id: randomUUID() };
  await call(client, 'publish_update', { ...scene, content: contentOf('News.') });
  return scene;
}
