import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScreenGroup } from './screen.ts';

/** One picture of a screen: its language, colour scheme and width. */
export type Variant = { language: 'en' | 'es'; scheme: 'light' | 'dark'; width: number };

/** Returns the name of a picture's file, relative to the folder. */
export const pictureName = (group: string, screen: string, { language, scheme, width }: Variant): string =>
  `${slug(group)}--${slug(screen)}--${language}-${scheme}-${width}.png`;

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const STYLE = `body{font:15px/1.5 system-ui;margin:2rem;background:#777;color:#fff}
h3{margin:2rem 0 .4rem}div{display:flex;gap:1rem;overflow-x:auto;align-items:flex-start}
img{display:block;background:#555;height:auto}a{flex:none}nav a{color:#fff;margin-right:1rem}`;

/** Returns the width of a thumbnail in pixels, by the width of the window. */
const thumbnailWidth = (width: number) => (width < 800 ? 180 : 480);

/**
 * Writes the contact sheet: a page with every picture. Each picture links to its full size.
 * @param files names of the pictures that exist
 * @returns its path
 */
export async function writeSheet(
  folder: string,
  groups: ScreenGroup[],
  variants: Variant[],
  files: Set<string>,
): Promise<string> {
  const sections = groups.map(({ title, screens }) => {
    const rows = screens.map(({ name }) => {
      const pictures = variants.map((variant) => {
        const file = pictureName(title, name, variant);
        const label = `${name}, ${Object.values(variant).join(' ')}`;
        return files.has(file)
          ? `<a href="${file}"><img src="${file}" width="${thumbnailWidth(variant.width)}" loading="lazy" alt="${label}"></a>`
          : '';
      });
      return `<h3>${name}</h3><div>${pictures.join('')}</div>`;
    });
    return `<h2 id="${slug(title)}">${title}</h2>${rows.join('\n')}`;
  });
  const links = groups.map(({ title }) => `<a href="#${slug(title)}">${title}</a>`);
  const path = join(folder, 'index.html');
  await writeFile(
    path,
    `<!doctype html><meta charset="utf-8"><title>Screens</title><style>${STYLE}</style><nav>${links.join('')}</nav>${sections.join('\n')}`,
  );
  return path;
}
