import { randomUUID } from 'node:crypto';
import { type Courtroom, makeCoverage, type Party, says } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';

/** All that is kept of a person. */
export const rowOf = async ({ service }: Courtroom, id: string) =>
  (await service.from('people').select('*').eq('id', id).single()).data;

/** What readers are shown of a person. */
export const shownOf = async ({ parties }: Courtroom, id: string) =>
  (await parties.visitor.client.from('people').select('handle, display_name, bio').eq('id', id)).data;

/** Publishes something under a person's own byline, in a coverage of its own. */
export async function publishAs({ service }: Courtroom, { client }: Pick<Party, 'client'>) {
  const scene = { coverage_id: await makeCoverage(service), update_id: randomUUID() };
  await call(client, 'publish_update', { ...scene, content: says('News.') });
  return scene;
}
