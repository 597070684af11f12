import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigData } from 'html-validate';
import { Parser } from 'htmlparser2';

/** The recommended rules of html-validate, without rules of taste and rules that do not fit these pages. */
export const HTML_RULES = {
  extends: ['html-validate:recommended'],
  rules: {
    // Astro writes the doctype in lower case and does not close void elements. Both are valid.
    'doctype-style': 'off',
    'void-style': 'off',
    // Pages are written for few bytes, not for reading their source.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // React writes `dateTime` and `srcSet`. HTML attributes are case-insensitive.
    'attr-case': 'off',
    'attribute-boolean-style': 'off',
    'valid-id': ['error', { relaxed: true }],
  },
} satisfies ConfigData;

/** A response of a crawl, and the links in it. */
export type CrawledPage = {
  path: string;
  status: number;
  type: string;
  /** The text of a page, feed or sitemap, otherwise ''. */
  text: string;
  headers: Headers;
  /** Links to the same site, with fragments. */
  links: string[];
  /** Ids of the elements. */
  ids: Set<string>;
};

/** Elements with addresses to follow, and the attribute that contains the address. */
const LINKS: Record<string, string> = { a: 'href', link: 'href', img: 'src', loc: '' };

/** Paths that need an account or change something. */
const PRIVATE_PATHS = /^\/(?:(?:desk|account|api|auth|sign-in|sign-up|reset-password)(?:\/|$|\?)|follow\/)/;

/**
 * Requests pages of a site and everything that they link to, each once. Follows links, images, feeds and sitemaps.
 * @param within paths to request. Links to other paths are only recorded.
 */
export async function crawl(
  site: { url: string },
  from: string[],
  within = /^/,
): Promise<Map<string, CrawledPage>> {
  const pages = new Map<string, CrawledPage>();
  const waiting = [...from];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (pages.has(path)) continue;
    const page = await fetchPage(site, path);
    pages.set(path, page);
    for (const link of page.links) {
      const [target = ''] = link.split('#');
      if (!pages.has(target) && within.test(target) && !PRIVATE_PATHS.test(target)) waiting.push(target);
    }
  }
  return pages;
}

async function fetchPage({ url }: { url: string }, path: string): Promise<CrawledPage> {
  const response = await fetch(`${url}${path}`, { redirect: 'manual' });
  const type = response.headers.get('content-type') ?? '';
  const page: CrawledPage = {
    path,
    status: response.status,
    type,
    text: '',
    headers: response.headers,
    links: [],
    ids: new Set(),
  };
  const moved = response.headers.get('location');
  const addresses = moved === null ? [] : [moved];
  if (/html|xml|json/.test(type)) {
    page.text = await response.text();
    // The Atom feed contains the same HTML as the JSON Feed.
    if (!type.includes('json')) addresses.push(...read(page));
  } else await response.body?.cancel();
  page.links = addresses.flatMap((address) => {
    const target = URL.parse(address, `${url}${path}`);
    return target?.origin === url ? [`${target.pathname}${target.search}${target.hash}`] : [];
  });
  return page;
}

/** Adds the ids of a page to `ids`, and returns the addresses in it. */
function read({ text, type, ids }: CrawledPage): string[] {
  const addresses: string[] = [];
  let output = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (attributes.id) ids.add(attributes.id);
        const attribute = LINKS[name];
        const address = attribute ? attributes[attribute] : undefined;
        if (address) addresses.push(address);
        output = '';
      },
      ontext: (words) => {
        output += words;
      },
      onclosetag(name) {
        if (name === 'loc') addresses.push(output.trim());
      },
    },
    { xmlMode: /\bxml/.test(type) && !type.includes('html') },
  );
  parser.end(text);
  return addresses;
}

/** Returns the path of the Nu HTML checker. The checker needs Java, see `hasJava`. */
const findJar = (): string => createRequire(import.meta.url)('vnu-jar').toString();

const java = (args: string[]) =>
  new Promise<{ ran: boolean; output: string }>((resolve) => {
    execFile('java', args, { maxBuffer: 64 * 1024 * 1024 }, (error, _out, output) =>
      resolve({ ran: (error as NodeJS.ErrnoException | null)?.code !== 'ENOENT', output }),
    );
  });

export const hasJava = async (): Promise<boolean> => (await java(['-version'])).ran;

/** Properties newer than the checker, of CSS Display Module Level 4 and CSS Form Control Styling Level 1. */
const UNKNOWN_TO_IT = /Property “(reading-flow|field-sizing)” doesn't exist/;

/** Returns the errors that the Nu HTML checker finds in these pages, as `path: message`. */
export async function nuCheckerErrors(pages: { path: string; text: string }[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'stoppress-nu-'));
  try {
    await Promise.all(pages.map(({ text }, n) => writeFile(join(folder, `${n}.html`), text)));
    const { output } = await java(['-jar', findJar(), '--format', 'json', '--errors-only', folder]);
    const { messages } = JSON.parse(output) as {
      messages: { url: string; message: string; extract?: string }[];
    };
    const meant = messages.filter(({ message }) => !UNKNOWN_TO_IT.test(message));
    return meant.map(({ url, message, extract }) => {
      const n = Number(/(\d+)\.html$/.exec(url)?.[1]);
      return `${pages[n]?.path}: ${message} (${extract ?? ''})`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
