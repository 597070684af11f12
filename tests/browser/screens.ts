import type { Newsroom, Role } from '../support/newsroom.ts';

/** A screen of the product and the role that opens it. */
export type Screen = {
  name: string;
  path(newsroom: Newsroom): string;
  /** Role of the signed-in person; a visitor when absent. */
  as?: Role;
  /** Status of the response when it is not 200. */
  status?: number;
};

const live = ({ coverage }: Newsroom, rest = '') => `/live/${coverage.slug}${rest}`;

/** All screens. The tests of every screen use this list, so each new screen belongs here. */
export const SCREENS: Screen[] = [
  { name: 'front page', path: () => '/' },
  { name: 'live page', path: (newsroom) => live(newsroom) },
  { name: 'older updates', path: (newsroom) => live(newsroom, '?before=11') },
  { name: 'oldest first', path: (newsroom) => live(newsroom, '?order=oldest') },
  { name: 'key events', path: (newsroom) => live(newsroom, '?show=key') },
  { name: 'one update', path: (newsroom) => live(newsroom, '/2') },
  { name: 'withdrawn update', path: (newsroom) => live(newsroom, '/1'), status: 410 },
  { name: 'person', path: ({ people }) => `/people/${people.reporter.handle}` },
  { name: 'coverage to come', path: (newsroom) => live(newsroom, '-later') },
  { name: 'live page from right to left', path: (newsroom) => live(newsroom, '-ar') },
  { name: 'one update from right to left', path: (newsroom) => live(newsroom, '-ar/1') },
  { name: 'topic', path: ({ coverage }) => `/topics/${coverage.slug}-topic` },
  { name: 'timeline', path: (newsroom) => live(newsroom, '/timeline') },
  { name: 'brief', path: (newsroom) => live(newsroom, '/brief') },
  { name: 'embed', path: (newsroom) => live(newsroom, '/embed') },
  { name: 'embed from right to left', path: (newsroom) => live(newsroom, '-ar/embed') },
  { name: 'archive', path: () => '/archive' },
  {
    name: 'archive, a month',
    path: () => `/archive/${new Date().toISOString().slice(0, 7).replace('-', '/')}`,
  },
  { name: 'choice of alerts', path: () => '/follow' },
  { name: 'alerts', path: ({ coverage }) => `/follow/live/${coverage.slug}` },
  { name: 'alerts of a reader', path: ({ coverage }) => `/follow/live/${coverage.slug}-ar`, as: 'reader' },
  {
    name: 'alerts of a topic',
    path: ({ coverage }) => `/follow/topics/${coverage.slug}-topic`,
    as: 'editor',
  },
  { name: 'unknown link to confirm alerts', path: () => `/follow/confirm/${'a'.repeat(43)}`, status: 404 },
  { name: 'unknown unsubscribe link', path: () => `/unsubscribe/${'a1b2'.repeat(10)}`, status: 404 },
  { name: 'corrections', path: () => '/corrections' },
  { name: 'search', path: ({ coverage }) => `/search?coverage=${coverage.slug}` },
  { name: 'search results', path: () => '/search?q=river&from=2020-01-01' },
  { name: 'search without results', path: () => '/search?q=nobody-says-this&topic=none' },
  { name: 'search with an invalid date', path: () => '/search?q=river&to=2026-02-30', status: 422 },
  { name: 'about', path: () => '/about' },
  { name: 'privacy', path: () => '/privacy' },
  { name: 'saved pages', path: () => '/offline' },
  { name: 'desk without connection', path: () => '/offline/desk' },
  { name: 'tips', path: ({ coverage }) => `/tips?coverage=${coverage.slug}` },
  { name: 'unknown receipt', path: () => `/tips/${'a1b2'.repeat(10)}`, status: 404 },
  { name: 'tips at the desk', path: () => '/desk/tips', as: 'moderator' },
  { name: 'held tips', path: () => '/desk/tips?view=held', as: 'editor' },
  {
    name: 'tips of a coverage with a search word',
    path: ({ coverage }) => `/desk/tips?coverage=${coverage.slug}&query=gate`,
    as: 'moderator',
  },
  {
    name: 'tips without results',
    path: () => '/desk/tips?view=used&query=nobody-says-this',
    as: 'moderator',
  },
  { name: 'tips, not open to a reporter', path: () => '/desk/tips', as: 'reporter', status: 403 },
  { name: 'photos', path: () => '/desk/photos', as: 'editor' },
  {
    name: 'photos without results',
    path: () => '/desk/photos?q=nobody-says-this&which=removed',
    as: 'reporter',
  },
  { name: 'photos, not open to a reader', path: () => '/desk/photos', as: 'reader', status: 403 },
  { name: 'missing page', path: () => '/live/there-is-none', status: 404 },
  { name: 'logo, menu and fonts', path: () => '/desk/site/masthead', as: 'owner' },
  { name: 'sign in', path: () => '/sign-in' },
  { name: 'sign up', path: () => '/sign-up' },
  { name: 'sign in by mail', path: () => '/auth/code?for=sign-in' },
  { name: 'forgotten password', path: () => '/reset-password' },
  { name: 'link of a mail', path: () => `/auth/confirm?type=invite&token_hash=${'a1b2'.repeat(14)}` },
  { name: 'broken link of a mail', path: () => '/auth/confirm', status: 422 },
  { name: 'desk of all coverages', path: () => '/desk', as: 'editor' },
  { name: 'front page order', path: () => '/desk/site/front-page', as: 'editor' },
  { name: 'new coverage', path: () => '/desk/new', as: 'editor' },
  { name: 'desk of a coverage', path: ({ coverage }) => `/desk/${coverage.slug}`, as: 'editor' },
  {
    name: 'desk of a coverage, for a reporter',
    path: ({ coverage }) => `/desk/${coverage.slug}`,
    as: 'reporter',
  },
  {
    name: 'desk of a coverage from right to left',
    path: ({ coverage }) => `/desk/${coverage.slug}-ar`,
    as: 'editor',
  },
  { name: 'desk that is not open to a reader', path: () => '/desk', as: 'reader', status: 403 },
  { name: 'own account of a reporter', path: () => '/account', as: 'reporter' },
  {
    name: 'own account of a reader',
    path: ({ coverage }) => `/account?done=unfollowed&coverage=${coverage.slug}`,
    as: 'reader',
  },
  { name: 'deleting an account', path: () => '/account/delete', as: 'reporter' },
  { name: 'account that is deleted', path: () => '/account/deleted' },
  {
    name: 'people',
    path: ({ people }) => `/desk/people?done=role&person=${people.editor.id}`,
    as: 'owner',
  },
  { name: 'people without results', path: () => '/desk/people?q=nobody-is-called-this', as: 'owner' },
  { name: 'invitation', path: () => '/desk/people/invite', as: 'owner' },
  { name: 'invitations', path: () => '/desk/people/invites', as: 'owner' },
  { name: 'activity log', path: () => '/desk/people/log', as: 'owner' },
  {
    name: 'page of a person at the desk',
    path: ({ people }) => `/desk/people/${people.contributor.id}`,
    as: 'owner',
  },
  { name: 'export', path: () => '/desk/site/export', as: 'owner' },
  { name: 'unknown invitation', path: () => `/invites/${'x'.repeat(43)}`, status: 404 },
  { name: 'end of a coverage', path: ({ coverage }) => `/desk/${coverage.slug}/end`, as: 'editor' },
  { name: 'site settings', path: () => '/desk/site/identity?done=identity', as: 'owner' },
  ...['place', 'look', 'about', 'embeds', 'mail', 'wordpress', 'filing', 'data', 'advanced'].map(
    (section) =>
      ({ name: `site settings, ${section}`, path: () => `/desk/site/${section}`, as: 'owner' }) as const,
  ),
  {
    name: 'settings of a coverage',
    path: ({ coverage, people }) =>
      `/desk/${coverage.slug}/settings?done=words&person=${people.contributor.handle}`,
    as: 'editor',
  },
  {
    name: 'settings, not open to a reporter',
    path: ({ coverage }) => `/desk/${coverage.slug}/settings`,
    as: 'reporter',
    status: 403,
  },
  { name: 'people, not open to an editor', path: () => '/desk/people', as: 'editor', status: 403 },
];
