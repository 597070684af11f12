import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigData } from 'html-validate';
import { Parser } from 'htmlparser2';

/** What html-validate recommends, without the rules that are about taste, or about pages of another kind than ours. */
export const HTML_RULES = {
  extends: ['html-validate:recommended'],
  rules: {
    // Astro writes no doctype in capitals and closes no void element; both are as good.
    'doctype-style': 'off',
    'void-style': 'off',
    // A line is as long as it is: these pages are written for readers, by the byte.
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    // React writes `dateTime` and `srcSet`: HTML knows no case.
    'attr-case': 'off',
    'attribute-boolean-style': 'off',
    'valid-id': ['error', { relaxed: true }],
  },
} satisfies ConfigData;

/** Something that was asked for on a crawl, and what it names. */
export type CrawledPage = {
  path: string;
  status: number;
  type: string;
  /** The text of a page, a feed or a sitemap; '' of what holds no text. */
  text: string;
  headers: Headers;
  /** What its links lead to on this site, with the fragments. */
  links: string[];
  /** Ids of its elements. */
  ids: Set<string>;
};

/** Elements whose address is a link to follow, and the attribute that holds it. */
const LINKS: Record<string, string> = { a: 'href', link: 'href', img: 'src', loc: '' };

/** What only somebody with an account may look at, and what does something. */
const PRIVATE_PATHS = /^\/(desk|account|api|auth|sign-in|sign-up|reset-password|follow)(\/|$|\?)/;

/**
 * Asks for some pages of a site, and for all that is linked from them and from there: as a search engine would, by
 * links, pictures, feeds and the addresses of sitemaps, each once.
 * @param within paths of what is looked at; of the rest there are only the links to it
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
    // What a JSON Feed says as HTML stands in its Atom twin too.
    if (!type.includes('json')) addresses.push(...read(page));
  } else await response.body?.cancel();
  page.links = addresses.flatMap((address) => {
    const target = URL.parse(address, `${url}${path}`);
    return target?.origin === url ? [`${target.pathname}${target.search}${target.hash}`] : [];
  });
  return page;
}

/** Notes the ids of a page, and gives the addresses that it names. */
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

/** The Nu HTML checker, as a program for Java; whether this machine has one is for `hasJava` to say. */
const findJar = (): string => createRequire(import.meta.url)('vnu-jar').toString();

const java = (args: string[]) =>
  new Promise<{ ran: boolean; output: string }>((resolve) => {
    execFile('java', args, { maxBuffer: 64 * 1024 * 1024 }, (error, _out, output) =>
      resolve({ ran: (error as NodeJS.ErrnoException | null)?.code !== 'ENOENT', output }),
    );
  });

export const hasJava = async (): Promise<boolean> => (await java(['-version'])).ran;

/** Newer than the checker: CSS Display Module Level 4, and CSS Form Control Styling Level 1. */
const UNKNOWN_TO_IT = /Property “(reading-flow|field-sizing)” doesn't exist/;

/** What the Nu checker calls an error in these pages: `path: what`. */
export async function nuErrors(pages: { path: string; text: string }[]): Promise<string[]> {
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
