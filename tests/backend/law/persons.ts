import { randomUUID } from 'node:crypto';
import { type Actor, contentOf, createCoverage, type TestContext } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';

/** All that is kept of a person. */
export const rowOf = async ({ service }: TestContext, id: string) =>
  (await service.from('people').select('*').eq('id', id).single()).data;

/** What readers are shown of a person. */
export const shownOf = async ({ actors: parties }: TestContext, id: string) =>
  (await parties.visitor.client.from('people').select('handle, display_name, bio').eq('id', id)).data;

/** Publishes something under a person's own byline, in a coverage of its own. */
export async function publishAs({ service }: TestContext, { client }: Pick<Actor, 'client'>) {
  const scene = { coverage_id: await createCoverage(service), update_id: randomUUID() };
  await call(client, 'publish_update', { ...scene, content: contentOf('News.') });
  return scene;
}
