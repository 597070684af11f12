import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * The program as the next deploy brings it, in a folder of its own: the same sources, and a build that has another id
 * and another name for each script.
 */
export async function makeNextBuild(root: string): Promise<void> {
  await mkdir(root);
  for (const part of ['node_modules', 'supabase', 'package.json'])
    await symlink(resolve(part), join(root, part));
  for (const part of ['src', 'packages', 'dist'])
    await cp(resolve(part), join(root, part), { recursive: true });

  const renamed = [await readFile(join(root, 'dist/server/build-id'), 'utf8')];
  const assets = join(root, 'dist/client/_astro');
  for (const name of await readdir(assets)) {
    const [, start, digest, end] = /^(.+\.)([\w-]{8}|[\w-]{10}(?=\.json$))(\.js|\.json)$/.exec(name) ?? [];
    if (!digest) {
      // What is packed has the names of before in it.
      await rm(join(assets, name));
      continue;
    }
    renamed.push(digest);
    await rename(join(assets, name), join(assets, `${start}${turned(digest)}${end}`));
  }
  for (const entry of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.m?js$|\.json$|build-id$/.test(entry.name)) continue;
    let text = await readFile(path, 'utf8');
    for (const name of renamed) text = text.replaceAll(name, turned(name));
    await writeFile(path, text);
  }
}

const turned = (digest: string) => [...digest].reverse().join('');
