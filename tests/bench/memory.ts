import { cookieJar } from '../support/http-client.ts';
import type { Bench } from './bench.ts';
import { realFeed } from './dense.ts';
import { type Coverage, createUser, importLiveFeed, openNewsroom, WHOLE } from './newsroom.ts';
import { pssOf, type Share, treeOf } from './pss.ts';

const AT_MOST_MB = 400;

/** Memory of all processes of the site. */
export const memory: Bench = {
  head: 'MB',
  about:
    'Everything that `npm start` has running on the embedded backend, after one visit to each page of a whole coverage\n' +
    'and of the desk, and a tip: the share of the memory (PSS) of the process and all that it has started.',
  async run(endings) {
    const newsroom = await openNewsroom(endings, {}, WHOLE);
    const before = sharesOf(newsroom.pid);
    const { feed, note } = await realFeed();
    const coverage = await importLiveFeed(newsroom, feed, 'whole');
    const visited = await visitAll(newsroom.url, coverage, await createUser(newsroom, 'owner'));
    const shares = sharesOf(newsroom.pid);
    return {
      findings: [
        {
          what: 'all processes',
          value: sum(shares),
          bound: { atMost: AT_MOST_MB },
          figures: { pages: visited },
        },
        ...shares.map(({ name, mb }) => ({ what: name, value: mb, figures: {} })),
        { what: 'all of them before the first visit', value: sum(before), figures: {} },
      ],
      notes: [note],
    };
  },
};

const sharesOf = (pid: number): Share[] => treeOf(pid).map(pssOf);
const sum = (shares: Share[]) => shares.reduce((all, { mb }) => all + mb, 0);

/** Visits each page as a reader and as the owner. @returns the number of pages */
async function visitAll(
  url: string,
  { slug, seq }: Coverage,
  account: Record<string, string>,
): Promise<number> {
  const live = `/live/${slug}`;
  const reader = cookieJar(url);
  const owner = cookieJar(url);
  await must(owner.post('/sign-in', account), 303);
  const open = [
    '/',
    live,
    `${live}/1`,
    `${live}/changes?after=${seq}`,
    '/about',
    '/privacy',
    '/tips',
    '/sign-in',
  ];
  open.push('/sign-up', '/reset-password', '/robots.txt');
  for (const path of open) await must(reader.get(path), 200);
  await must(reader.get('/nowhere'), 404);
  const sent = await must(reader.post('/tips', { body: 'The bridge is closed.', coverage: slug }), 303);
  await must(reader.get(sent.headers.get('location') ?? ''), 200);
  const closed = [
    '/account',
    '/desk',
    '/desk/new',
    `/desk/${slug}`,
    '/desk/tips',
    '/desk/people',
    '/desk/site/identity',
  ];
  for (const path of closed) await must(owner.get(path), 200);
  return open.length + closed.length + 4;
}

async function must(asked: Promise<Response>, status: number): Promise<Response> {
  const answer = await asked;
  await answer.arrayBuffer();
  if (answer.status !== status) throw new Error(`${answer.url} answers ${answer.status}, not ${status}.`);
  return answer;
}
