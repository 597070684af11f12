/** Texts of the server and the commands in a terminal. */

const n = (count: number) => count.toLocaleString('en');

export const SETTINGS = {
  port: 'PORT must be a port number from 0 to 65535.',
  siteUrl: 'SITE_URL must be the address of the site and nothing more, such as https://news.example.',
  siteUrlOfWildcard: (host: string) =>
    `Set SITE_URL to the address that visitors use: it cannot be told from HOST ${host}.`,
  proxies: 'STOPPRESS_PROXIES must be the number of your own proxies in front of the site, 0 to 5.',
  readerSockets: 'STOPPRESS_READER_SOCKETS must be a number of readers, 0 to 1000000.',
  surgeAt: 'STOPPRESS_SURGE_AT must be a load in percent of one core, from 0 (never) to 100.',
  backendUrl: 'PUBLIC_SUPABASE_URL must be the address of a project, such as https://project.supabase.co.',
  publishableKey: 'With PUBLIC_SUPABASE_URL, set PUBLIC_SUPABASE_PUBLISHABLE_KEY too.',
  secretKey: 'With PUBLIC_SUPABASE_URL, set SUPABASE_SECRET_KEY too.',
  unknown: (name: string, meant: string | undefined) =>
    `${name} is no setting of Stoppress${meant ? `: did you mean ${meant}?` : '.'}`,
  log: 'STOPPRESS_LOG must be json or text.',
  logLevel: 'STOPPRESS_LOG_LEVEL must be debug, info, warn or error.',
  metricsToken: 'STOPPRESS_METRICS_TOKEN must be of 16 characters or more, without spaces.',
  secretIsPublishable: 'SUPABASE_SECRET_KEY holds a publishable key: set it to the secret one.',
  publishableIsSecret:
    'PUBLIC_SUPABASE_PUBLISHABLE_KEY holds a secret key, which browsers would get: set it to the publishable one.',
  buildsFolder: (folder: string) => `STOPPRESS_BUILDS names a folder that cannot be written to: ${folder}.`,
  plainSite:
    'SITE_URL begins with http and proxies stand in front (STOPPRESS_PROXIES): where they take https, set SITE_URL to that address.',
  proxyNotDeclared:
    'SITE_URL begins with https, so a proxy stands in front of this server. Set STOPPRESS_PROXIES to the number of your proxies: without it, clients have no limits of their own.',
  right: 'The settings are right.',
  sameKeys: 'SUPABASE_SECRET_KEY must not be the publishable key: browsers get that one.',
};

export const SERVER = {
  proxyNotDeclared:
    'A proxy stands in front of this server, and STOPPRESS_PROXIES is 0: clients have no limits of their own. Set it to the number of your proxies.',
  proxyHeaderMissing: (proxies: number) =>
    `STOPPRESS_PROXIES is ${proxies}, and requests come without so many addresses in X-Forwarded-For: all clients share one limit. Let each proxy add the address, or correct the number.`,
  ready: (url: string) => `The site is at ${url}`,
  mailbox: (url: string) => `Mails are kept at ${url}`,
  noMail:
    'No mail is sent, because SMTP_URL is not set: accounts are made without a check of their address, and links ' +
    'for people who cannot sign in are made by the owner at /desk/people.',
  setup: (address: string, code: string) =>
    `Nobody owns this newsroom yet. Make its owner at ${address} with the code ${code}`,
  setupUnknown: 'Whether this newsroom has an owner could not be asked: the backend does not answer.',
  portInUse: (port: number) => `Port ${port} is in use: set PORT to another one.`,
  notBuilt: 'The site is not built yet: run npm run build first.',
  childEnded: (name: string, how: string, seconds: number) =>
    `The ${name} has ended unexpectedly (${how}); it starts again in ${seconds} s.`,
  bySignal: (signal: string) => `by ${signal}`,
  byCode: (code: number) => `with code ${code}`,
  notInTime: 'it was not ready in time',
  childBack: (name: string) => `The ${name} runs again.`,
  childStuck: (name: string, seconds: number) =>
    `The ${name} has not stirred for ${seconds} s: it is ended, to be started again.`,
  renewing: 'A new site is started beside the one that runs.',
  renewed: (seconds: number) =>
    `The new site has the port, after ${seconds} s. The old one finishes what it has begun.`,
  notRenewed: (why: string) => `The new site did not come up (${why}): the old one goes on.`,
  backendRenewing: 'The backend or its settings have changed: it is started anew first.',
  backendNotRenewed: 'The new backend did not come up, and is tried again: the old site goes on.',
  settingsNotRenewed: 'The settings have a mistake: everything goes on as it was.',
  placeNotRenewed:
    'HOST, PORT, and whose backend it is count when everything is started: stop it and start it again. Everything goes on as it was.',
  supervisorChanged:
    'What holds the port has changed too: that takes a whole restart, when there is a quiet minute.',
  stopsAtOnce: 'Asked twice to stop: everything is ended at once.',
  portRefused: (port: number, why: string) => `Port ${port} cannot be had: ${why}.`,
  notReady: 'The front page could not be made for a minute: the backend does not answer.',
  notStarted: 'The site was not started.',
  comparisonFailed: (why: string) =>
    `The backend could not be asked what has changed (${why}). Pages are kept for as long as they say; it is asked again.`,
  overloadNotReported: (why: string) =>
    `The site is loaded, and the backend could not be told so (${why}): readers are not moved to slow checks yet. It is tried again.`,
  notKept: (folder: string, why: string) =>
    `The scripts of this build could not be kept in ${folder} (${why}): pages that are open do not find them after the next build.`,
  imageProcessingFailed: (why: string) =>
    `Photos could not be looked at (${why}). They are safe and wait; it is tried again.`,
  alertsFailed: (why: string) =>
    `Followers could not be told what is new (${why}). Nothing is lost; it is tried again.`,
  fault: 'A fault of the server.',
  notStopped: 'The site did not stop cleanly.',
  failedRequest: 'A request failed.',
  slowRequest: 'A request was slow.',
  request: 'A request was answered.',
  notDrawn: 'The picture of a coverage could not be drawn.',
};

/** Responses of the HTTP server when no page can be rendered. */
export const REFUSALS = {
  tooLarge: 'This is too large to be sent. Shorten it, then send it again.',
  unavailable: 'The newsroom cannot be reached at the moment. Try again in a minute.',
  searching:
    'Too much is being searched for at the moment, and your words are in the address of this page. Load it again in a few seconds.',
  notUnderstood: 'This request cannot be understood. Start from the front page.',
  notThatWay: 'Nothing can be sent to this address. Start from the front page.',
  fromElsewhere:
    'This was not sent by a page of this newsroom, so nothing was done. Open the page here, then send it again.',
  tooMuchSaid:
    'Your browser sends more with each request than can be taken here, cookies most likely. Clear the cookies of this site, then try again.',
  tooSlow: 'This took too long to arrive. Try again on a better line.',
  internal: 'Something went wrong on our side. Try again in a minute.',
  withId: (sentence: string, id: string) => `${sentence} If it stays, quote ${id}.`,
};

/** Names of the fields of coverages and updates in a feed. */
const FEED_FIELDS: Record<string, string> = {
  headline: 'title',
  standfirst: 'description',
  body: 'content',
  attribution: 'authors',
};

export const IMPORT = {
  usage: 'Use it as: npm run import -- FILE_OR_FOLDER [--slug SLUG] [--state live|ended]',
  noFile: (path: string) => `There is no file ${path} that can be read.`,
  state: '--state is live or ended.',
  notJson: (why: string) => `The file is not JSON: ${why}`,
  notXml: (line: number) => `The file is not XML: it breaks off or is wrong at line ${line}.`,
  documentType: 'The file has a document type (<!DOCTYPE …>), which a feed has no use for. Take it out.',
  notAtom: 'The file is not an Atom feed: its first element must be a feed of http://www.w3.org/2005/Atom.',
  notFeed: 'The file is not a JSON Feed: it must hold one object.',
  version: (version: string) => `The file is not a JSON Feed 1.1: its version must be ${version}.`,
  title: 'The feed has no title.',
  notText: (key: string) => `The feed's ${key} must be text.`,
  noItems: 'The feed has no list of items.',
  wrongItem: (index: number, id: unknown, what: string) =>
    `Item ${index}${typeof id === 'string' && id ? ` (${id})` : ''}: ${what}`,
  item: {
    object: 'it must be an object.',
    id: 'its id must be text.',
    sameId: (index: number) => `its id is that of item ${index} too.`,
    date: 'its date_published must be a date and time with a zone, as 2026-03-01T14:05:00Z.',
    text: 'its content_text is missing. Only text is taken, not content_html.',
    title: 'its title must be text.',
    authors: 'its authors must be a list of objects with a name.',
    tags: 'its tags must be a list of texts.',
    published:
      'its published, or else its updated, must be a date and time with a zone, as 2026-03-01T14:05:00Z.',
    content: 'its content is missing, and so is its summary.',
    contentType: (type: string) => `its content is of the type ${type}. Only text and HTML are taken.`,
    contentElsewhere: 'its content is elsewhere (src). Only what stands in the file is taken.',
    noWords: 'its content has no words.',
    contentLong: (most: number) => `its content has more than ${n(most)} characters.`,
    contentDeep: 'the elements of its content stand too deep in one another.',
  },
  /** Texts about WordPress exports. */
  wxr: {
    none: 'The file is a WordPress export, and no published post in it has entries of the plugin Liveblog.',
    noneOf: (slug: string, slugs: string[]) =>
      `No liveblog in the file has the address ${slug}. There are: ${slugs.join(', ')}.`,
    title: (id: string) => `The post ${id} has no title.`,
    slug: (title: string) =>
      `“${title}” has no address that can be used. Bring it in by itself, with an address for it: --slug SLUG.`,
    sameSlug: (title: string, slug: string) =>
      `“${title}” has the address ${slug}, and so has another liveblog of the file.`,
    id: 'it has no id.',
    time: (text: string) => `its comment_date_gmt is “${text}”, which is no date and time.`,
    of: (title: string) => `“${title}” was not imported:`,
    hidden: (titles: string[]) =>
      `Left out, because readers could not see them there: ${titles.map((title) => `“${title}”`).join(', ')}.`,
    deleted: (count: number) => `${n(count)} deleted there and left out.`,
    wordless: (count: number) => `${n(count)} without a word and left out.`,
    ownText: 'The post’s own text is longer than a standfirst and was left out.',
  },
  refusedWhole: (mistakes: number) =>
    `Nothing was imported: ${mistakes === 1 ? 'one thing is' : `${n(mistakes)} things are`} wrong.`,
  progress: (done: number, of: number) => `${n(done)} of ${n(of)}`,
  done: (slug: string, state: string, added: number, unchanged: number, refused: number) =>
    `${slug} (${state}): ${added} added, ${unchanged} unchanged, ${refused} refused.`,
  refused: 'Older than the newest update, and so not added:',
  failed: (sentence: string, field?: string) => `Not imported: ${IMPORT.ofField(sentence, field)}`,
  ofField: (sentence: string, field?: string) =>
    field ? `${FEED_FIELDS[field] ?? field}: ${sentence}` : sentence,
};

export const EXPORT = {
  usage: 'Use it as: npm run export -- SLUG [--to FOLDER]',
  progress: (done: number, of: number) => `${n(done)} of ${n(of)} pages`,
  done: (slug: string, folder: string, pages: number, seconds: number) =>
    `${slug}: ${n(pages)} pages in ${folder}, ${n(Math.round(seconds * 10) / 10)} s.`,
  guessed: (url: string) =>
    `SITE_URL is not set: what the folder does not have is linked to at ${url}. Set it to the site's address, and export again.`,
  failed: (sentence: string) => `Not exported: ${sentence}`,
  missing: (slug: string) => `readers see no coverage ${slug}. A draft is exported once it is public.`,
  withdrawn: (slug: string) => `the coverage ${slug} was withdrawn. Readers see nothing of it any more.`,
  notBegun: (slug: string) => `the coverage ${slug} has not begun: there is nothing to read yet.`,
  changing: 'the coverage changed again and again while it was written. Try again in a quieter minute.',
  notMade: (path: string, status: number) => `the page ${path} could not be made (${status}). Try again.`,
  notEmpty: (folder: string) => `${folder} is there already, and not empty. Name another folder with --to.`,
  diskFull: 'the disk is full. Nothing was left behind; make room, or name a folder elsewhere with --to.',
  unwritable: (path: string) => `${path} cannot be written to. Name another folder with --to.`,
  stopped: 'it was stopped.',
};

/** Texts about coverage folders and their files. */
export const FOLDER = {
  missing: (name: string) => `${name} is not there.`,
  noFile: (name: string) => `${name} must be a file of the folder itself, and no link to another.`,
  bytes: (name: string, bytes: number) =>
    `${name} must be of ${n(bytes)} bytes: it is not the file that was exported.`,
  noPrint: (name: string, width: number, height: number) =>
    `${name} must be a WebP of ${width} × ${height} pixels, with nothing else in it.`,
  notUtf8: (name: string) => `${name} is not UTF-8.`,
  mark: (name: string) => `${name} begins with a byte order mark. Save it without one.`,
  longLine: (name: string, line: number) => `${name}, line ${line}: it is longer than any update is.`,
  brokenOff: (name: string, line: number) =>
    `${name} breaks off in line ${line}: it does not end with a line feed.`,
  carriageReturn: 'it ends with a carriage return. Lines end with a line feed alone.',
  notJson: (why: string) => `it is not JSON: ${why}`,
  notObject: 'it must be an object.',
  notList: 'it must be a list.',
  missingField: (field: string) => `${field} is missing.`,
  strayField: (field: string) => `there is no such field as ${field}.`,
  wrong: (name: string, what: string) => `${name}: ${what}`,
  wrongLine: (name: string, line: number, what: string) => `${name}, line ${line}: ${what}`,
  format: 'this is no coverage that was exported.',
  version: (known: number) =>
    `only version ${known} is understood here. A newer Stoppress may have written it.`,
  id: (what: string) => `the id of a ${what} must be a UUID in small letters.`,
  text: (field: string) => `${field} must be text.`,
  count: 'counts and sizes are whole numbers.',
  counted: (field: string, line: number) =>
    `its ${field} must be ${line}: they go up by one from line to line.`,
  updates: (name: string, count: number) =>
    `${name} must hold the ${n(count)} updates that the coverage counts.`,
  changes: (name: string, seq: number) => `${name} must hold the ${n(seq)} changes that the coverage counts.`,
  update: (number: number) => `Update ${number}`,
  change: (seq: number) => `Change ${seq}`,
  ofField: (sentence: string, field?: string) => (field ? `${field}: ${sentence}` : sentence),
  noState: '--state is for feeds: a folder says itself how its coverage stands.',
  refusedWhole: 'Nothing was imported.',
  done: (slug: string, state: string, count: number, photos: number) =>
    `${slug} (${state}): ${n(count)} updates and ${n(photos)} photos, with their history.`,
  unchanged: (slug: string, state: string) => `${slug} (${state}): all of it is here already. Nothing to do.`,
  handle: (was: string, handle: string) => `The handle ${was} is somebody else's here: they are ${handle}.`,
  topic: (slug: string) => `The topic ${slug} is another one here: it was taken.`,
  colleagues: (names: string) =>
    `The folder puts words under the bylines of people who work here: ${names}. See that they are theirs.`,
  slugLeft: (slug: string) => `The older slug ${slug} is another coverage's here: it was left out.`,
};

/** Formats a size in bytes, at least 1 byte. */
const size = (bytes: number) =>
  bytes < 1_000_000 ? `${n(Math.ceil(bytes / 1000))} kB` : `${n(Math.round(bytes / 100_000) / 10)} MB`;

type TransferReport = { path: string; rows: number; files: number; bytes: number; seconds: number };

const transferSummary = ({ rows, files, bytes, seconds }: TransferReport) =>
  `${n(rows)} rows, ${n(files)} files, ${size(bytes)}, ${n(Math.round(seconds * 10) / 10)} s`;

export const DATA = {
  hosted: 'The backend of this site is a Supabase project, which is backed up and restored there.',
};

export const BACKUP = {
  usage: 'Use it as: npm run backup [-- --to FILE_OR_FOLDER]',
  done: (report: TransferReport) => `${report.path}: ${transferSummary(report)}`,
};

export const RESTORE = {
  usage: 'Use it as: npm run restore -- FILE [--overwrite]',
  done: (report: TransferReport) => `Restored from ${report.path}: ${transferSummary(report)}`,
  aside: (place: string) => `What was there before is kept in ${place}: delete it once you are sure.`,
  signIn: 'Everybody signs in again.',
};

export const MOVE = {
  usage: 'Use it as: npm run move -- --to https://YOUR_PROJECT.supabase.co',
  secretKey: 'Set MOVE_SECRET_KEY to the secret key of that project.',
  databaseUrl:
    'Set MOVE_DATABASE_URL to the URL of its database: postgresql://postgres:PASSWORD@HOST:5432/postgres',
  otherProject: 'MOVE_DATABASE_URL is the database of another project than --to names.',
  table: (name: string, rows: number, digest: string) =>
    `${name.padEnd(30)} ${n(rows).padStart(10)} rows   ${digest.slice(0, 16)}`,
  files: (files: number, bytes: number, uploaded: number, digest: string) =>
    `${'files'.padEnd(30)} ${n(files).padStart(10)} files  ${digest.slice(0, 16)}  (${bytes > 0 ? size(bytes) : '0 kB'}, ${n(uploaded)} of them now)`,
  ahead:
    'The newsroom is running: its files went ahead, and nobody sees them. Run this as often as you like. To finish, stop the newsroom and run it once more.',
  moved: (url: string) =>
    `Everything is in ${url}, and each table and file there is what it was here. The newsroom does not start here any more.`,
  there: (url: string) => `Everything was in ${url} already. The newsroom does not start here any more.`,
  backup: (path: string) => `Its last backup here: ${path}`,
  next: 'Start the site with PUBLIC_SUPABASE_URL, PUBLIC_SUPABASE_PUBLISHABLE_KEY and SUPABASE_SECRET_KEY of the project. Everybody signs in again, with the same passwords.',
};

export const DEMO = {
  starting: 'Building the site and filling a newsroom. This takes up to a minute.',
  ready: (url: string) =>
    `\nThe demo is at ${url}\nIts live coverage gets a new update every 20 to 40 seconds. Sign in as:\n`,
  account: (role: string, name: string, email: string) => `  ${role.padEnd(12)} ${email.padEnd(26)} ${name}`,
  password: (password: string) =>
    `\nEverybody's password is ${password} (for this demo only). Ctrl-C ends the demo and throws its data away.`,
  retrying: (why: string) => `The demo's reporter could not be heard and tries again: ${why}`,
};
