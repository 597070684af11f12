import { createHash } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { call } from './newsroom.ts';

/** An image of the site as the database takes it: the image itself and an icon. */
export function imageOf(content: string) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  const [name, icon] = [`${hash}-400x96.svg`, `${hash}-48x48.png`];
  return { name, icon, files: { [name]: btoa(content), [icon]: btoa('icon of it') } };
}

/** Stores an image that the site shows as its logo, and one that it does not show. @returns their names */
export async function storeSiteImages(owner: SupabaseClient): Promise<{ shown: string; unused: string }> {
  const [shown, unused] = [imageOf('<svg id="shown"/>'), imageOf('<svg id="unused"/>')];
  for (const { files } of [shown, unused]) await call(owner, 'save_site_image', { files });
  const { data } = await owner.from('site').select('identity_version').single().throwOnError();
  await call(owner, 'save_site_identity', { content: { logo: shown.name }, version: data.identity_version });
  return { shown: shown.name, unused: unused.name };
}
