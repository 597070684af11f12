/** Texts of the server and the commands in a terminal. */

const n = (count: number) => count.toLocaleString('en');

export const SETTINGS = {
  port: 'PORT must be a port number from 0 to 65535.',
  siteUrl: 'SITE_URL must be the origin of the site without a path, such as https://news.example.',
  siteUrlOfWildcard: (host: string) => `With HOST ${host}, set SITE_URL to the address that visitors use.`,
  proxies: 'STOPPRESS_PROXIES must be the number of your own proxies in front of the site, 0 to 5.',
  readerSockets: 'STOPPRESS_READER_SOCKETS must be a number of readers, 0 to 1000000.',
  surgeAt: 'STOPPRESS_SURGE_AT must be a load in percent of one core, from 0 (never) to 100.',
  backendUrl: 'PUBLIC_SUPABASE_URL must be the address of a project, such as https://project.supabase.co.',
  publishableKey: 'With PUBLIC_SUPABASE_URL, set PUBLIC_SUPABASE_PUBLISHABLE_KEY too.',
  secretKey: 'With PUBLIC_SUPABASE_URL, set SUPABASE_SECRET_KEY too.',
  unknown: (name: string, meant: string | undefined) =>
    `${name} is not a setting of Stoppress${meant ? `. Did you mean ${meant}?` : '.'}`,
  log: 'STOPPRESS_LOG must be json or text.',
  logLevel: 'STOPPRESS_LOG_LEVEL must be debug, info, warn or error.',
  metricsToken: 'STOPPRESS_METRICS_TOKEN must have at least 16 characters and no spaces.',
  privateWordPress: 'STOPPRESS_PRIVATE_WORDPRESS must be an origin, such as http://10.0.0.5:8080.',
  telegramApi: 'STOPPRESS_TELEGRAM_API must be an origin, such as http://10.0.0.5:8081.',
  secretIsPublishable: 'SUPABASE_SECRET_KEY contains a publishable key. Set it to the secret key.',
  publishableIsSecret:
    'PUBLIC_SUPABASE_PUBLISHABLE_KEY contains a secret key, and browsers would receive it. Set it to the publishable key.',
  buildsFolder: (folder: string) => `STOPPRESS_BUILDS is a folder that is not writable: ${folder}.`,
  plainSite:
    'SITE_URL begins with http, and there are proxies (STOPPRESS_PROXIES). If they accept https, set SITE_URL to that address.',
  insecureSite:
    'SITE_URL begins with http. Browsers allow writing at the desk, reading offline and alerts only over https, or on localhost.',
  proxyNotDeclared:
    'SITE_URL begins with https, so there is a proxy in front of this server. Set STOPPRESS_PROXIES to the number of your proxies. Without it, rate limits cannot tell clients apart.',
  right: 'The settings are valid.',
  sameKeys: 'SUPABASE_SECRET_KEY must not be the publishable key, because browsers receive that one.',
};

export const SERVER = {
  proxyNotDeclared:
    'A proxy forwards requests, and STOPPRESS_PROXIES is 0, so rate limits cannot tell clients apart. Set it to the number of your proxies.',
  proxyHeaderMissing: (proxies: number) =>
    `STOPPRESS_PROXIES is ${proxies}, but requests have fewer addresses in X-Forwarded-For, so all clients share one rate limit. Let each proxy add the address, or correct the number.`,
  ready: (url: string) => `The site is at ${url}`,
  mailbox: (url: string) => `Mails are shown at ${url}`,
  noMail:
    'SMTP_URL is not set, so no mail is sent. E-mail addresses of new accounts are not confirmed. The owner creates ' +
    'sign-in links at /desk/people.',
  setup: (address: string, code: string) =>
    `This newsroom has no owner yet. Create one at ${address} with the code ${code}`,
  setupUnknown: 'The backend does not respond, so it is not known whether this newsroom has an owner.',
  portInUse: (port: number) => `Port ${port} is in use. Set PORT to another one.`,
  notBuilt: 'The site is not built yet. Run npm run build first.',
  childEnded: (name: string, how: string, seconds: number) =>
    `The ${name} ended unexpectedly (${how}). It restarts in ${seconds} s.`,
  bySignal: (signal: string) => `by ${signal}`,
  byCode: (code: number) => `with code ${code}`,
  notInTime: 'not ready in time',
  childBack: (name: string) => `The ${name} is running again.`,
  childStuck: (name: string, seconds: number) =>
    `The ${name} has not responded for ${seconds} s. It is killed and restarted.`,
  renewing: 'Starting the new website beside the running one.',
  renewed: (seconds: number) =>
    `The new website took over the port after ${seconds} s. The old one finishes its requests.`,
  notRenewed: (why: string) => `The new website did not start (${why}). The old one continues.`,
  backendRenewing: 'The backend or its settings have changed. Restarting the backend first.',
  backendNotRenewed:
    'The new backend did not start. The old website continues, and the backend is tried again.',
  settingsNotRenewed: 'The settings contain a mistake. Nothing was changed.',
  placeNotRenewed:
    'HOST, PORT, SITE_URL, STOPPRESS_DATA, the keys and the choice of the backend apply at the start only. Nothing was changed: stop and start again.',
  supervisorChanged: 'The supervisor has changed too. It needs a full restart at a quiet time.',
  stopsAtOnce: 'Second signal: stopping at once.',
  portRefused: (port: number, why: string) => `Port ${port} is not available: ${why}.`,
  notReady: 'The front page could not be rendered for a minute: the backend does not respond.',
  notStarted: 'The site was not started.',
  comparisonFailed: (why: string) =>
    `Changes could not be fetched from the backend (${why}). Cached pages stay until they expire, and the request is repeated.`,
  overloadNotReported: (why: string) =>
    `The load is high, but surge mode could not be started (${why}). It is tried again.`,
  notKept: (folder: string, why: string) =>
    `The scripts of this build could not be copied to ${folder} (${why}). After the next build, open pages will not find them.`,
  imageProcessingFailed: (why: string) =>
    `Photos could not be processed (${why}). They are stored, and processing is tried again.`,
  alertsFailed: (why: string) =>
    `Alerts could not be sent (${why}). They stay in the queue, and sending is tried again.`,
  noticesFailed: (why: string) =>
    `Answers to filed messages could not be sent (${why}). They stay in the queue, and sending is tried again.`,
  tablesFailed: (why: string) =>
    `Tables could not be read from their CSV addresses (${why}). They keep their cells, and reading is tried again.`,
  fault: 'Internal error.',
  notStopped: 'The site did not stop cleanly.',
  failedRequest: 'A request failed.',
  slowRequest: 'A request was slow.',
  request: 'A request was answered.',
  basemapRefused: 'The basemap (STOPPRESS_BASEMAP) cannot be used. Maps have no drawn picture.',
  basemapTooSlow: 'Reading it took too much time or memory.',
  mapNotDrawn: 'A map could not be drawn from the basemap.',
  notDrawn: 'The share image of a coverage could not be rendered.',
};

/** Responses of the HTTP server when no page can be rendered. */
export const REFUSALS = {
  tooLarge: 'This is too large. Shorten it, then send it again.',
  unavailable: 'This page is not available right now. Try again in a minute.',
  searching: 'Search is busy. Your search is in the address of this page: reload it in a few seconds.',
  notUnderstood: 'This request is not valid. Start from the front page.',
  notThatWay: 'This address accepts no forms. Start from the front page.',
  fromElsewhere:
    'This form was not sent from this site, so nothing was changed. Open the page here, then send it again.',
  tooMuchSaid: 'Your browser sends too many cookies. Delete the cookies of this site, then try again.',
  tooSlow: 'The upload took too long. Try again with a better connection.',
  internal: 'Something went wrong on our side. Try again in a minute.',
  withId: (sentence: string, id: string) => `${sentence} If it happens again, tell us this code: ${id}.`,
};

/** Names of the fields of coverages and updates in a feed. */
const FEED_FIELDS: Record<string, string> = {
  headline: 'title',
  standfirst: 'description',
  body: 'content',
  attribution: 'authors',
};

export const IMPORT = {
  usage: 'Usage: npm run import -- FILE_OR_FOLDER [--slug SLUG] [--state live|ended]',
  noFile: (path: string) => `${path} does not exist or is not readable.`,
  state: '--state must be live or ended.',
  notJson: (why: string) => `The file is not JSON: ${why}`,
  notXml: (line: number) => `The file is not valid XML at line ${line}.`,
  documentType: 'The file has a document type (<!DOCTYPE …>). Remove it.',
  notAtom: 'The file is not an Atom feed: its first element must be a feed of http://www.w3.org/2005/Atom.',
  notFeed: 'The file is not a JSON Feed: it must contain one object.',
  version: (version: string) => `The file is not a JSON Feed 1.1: its version must be ${version}.`,
  title: 'The feed has no title.',
  notText: (key: string) => `The feed's ${key} must be text.`,
  noItems: 'The feed has no list of items.',
  wrongItem: (index: number, id: unknown, what: string) =>
    `Item ${index}${typeof id === 'string' && id ? ` (${id})` : ''}: ${what}`,
  item: {
    object: 'it must be an object.',
    id: 'its id must be text.',
    sameId: (index: number) => `item ${index} has the same id.`,
    date: 'its date_published must be a date and time with a time zone, such as 2026-03-01T14:05:00Z.',
    text: 'its content_text is missing. content_html is not imported.',
    title: 'its title must be text.',
    authors: 'its authors must be a list of objects with a name.',
    tags: 'its tags must be a list of texts.',
    published:
      'its published or updated must be a date and time with a time zone, such as 2026-03-01T14:05:00Z.',
    content: 'its content and its summary are missing.',
    contentType: (type: string) => `its content has the type ${type}. Only text and HTML are imported.`,
    contentElsewhere: 'its content is at another address (src). Only content inside the file is imported.',
    noWords: 'its content is empty.',
    contentLong: (most: number) => `its content has more than ${n(most)} characters.`,
    contentDeep: 'its content is nested too deep.',
  },
  /** Texts about WordPress exports. */
  wxr: {
    none: 'The file is a WordPress export, but no published post in it has entries of the plugin Liveblog, and it has no public coverage of Rolling Coverage.',
    noneOf: (slug: string, slugs: string[]) =>
      `No live blog in the file has the slug ${slug}. It contains: ${slugs.join(', ')}.`,
    title: (id: string) => `The post ${id} has no title.`,
    slug: (title: string) => `“${title}” has no valid slug. Import it alone, with --slug SLUG.`,
    sameSlug: (title: string, slug: string) =>
      `“${title}” has the slug ${slug}, like another live blog of the file.`,
    id: 'it has no id.',
    time: (text: string) => `its comment_date_gmt is not a date and time: “${text}”.`,
    of: (title: string) => `“${title}” was not imported:`,
    hidden: (titles: string[]) =>
      `Not imported, because they were not public: ${titles.map((title) => `“${title}”`).join(', ')}.`,
    deleted: (count: number) => `${n(count)} deleted entries not imported.`,
    wordless: (count: number) => `${n(count)} empty entries not imported.`,
    ownText: 'The post’s own text is too long for a standfirst and was not imported.',
    photos: (count: number) => `${n(count)} photos imported.`,
    left: (count: number) => `${n(count)} pictures stayed links:`,
    leftPicture: {
      undescribed: 'it has no alt text, caption or title',
      too_many_blocks: 'its update would have too many blocks',
      not_reached: 'its host does not answer',
      not_found: 'it is not there',
      not_public: 'its address is not public',
      too_large: 'it is too large',
      not_a_photo: 'it is no JPEG, PNG, WebP or AVIF',
      refused: 'it was removed or refused here',
    },
  },
  refusedWhole: (mistakes: number) => `Nothing was imported. Mistakes: ${n(mistakes)}.`,
  progress: (done: number, of: number) => `${n(done)} of ${n(of)}`,
  done: (slug: string, state: string, added: number, unchanged: number, refused: number) =>
    `${slug} (${state}): ${added} added, ${unchanged} unchanged, ${refused} refused.`,
  refused: 'Not added, because they are older than the newest update:',
  failed: (sentence: string, field?: string) => `Not imported: ${IMPORT.ofField(sentence, field)}`,
  ofField: (sentence: string, field?: string) =>
    field ? `${FEED_FIELDS[field] ?? field}: ${sentence}` : sentence,
};

export const WORDPRESS = {
  usage: 'Usage: npm run wordpress [-- FILE.zip]',
  done: (path: string, bytes: number) =>
    `${path}: ${n(Math.ceil(bytes / 1000))} KB. Upload it in WordPress at Plugins → Add New Plugin → Upload Plugin.`,
  unwritable: (path: string, code: string) => `${path} is not writable (${code}). Name another file.`,
};

export const EXPORT = {
  usage: 'Usage: npm run export -- SLUG [--to FOLDER]',
  progress: (done: number, of: number) => `${n(done)} of ${n(of)} pages`,
  done: (slug: string, folder: string, pages: number, seconds: number) =>
    `${slug}: ${n(pages)} pages in ${folder}, ${n(Math.round(seconds * 10) / 10)} s.`,
  guessed: (url: string) =>
    `SITE_URL is not set, so links to other pages use ${url}. Set SITE_URL, and export again.`,
  failed: (sentence: string) => `Not exported: ${sentence}`,
  missing: (slug: string) => `there is no public coverage ${slug}.`,
  withdrawn: (slug: string) => `the coverage ${slug} was withdrawn.`,
  notBegun: (slug: string) => `the coverage ${slug} has not started yet.`,
  changing: 'the coverage kept changing during the export. Try again later.',
  notMade: (path: string, status: number) => `the page ${path} could not be rendered (${status}). Try again.`,
  notEmpty: (folder: string) => `${folder} exists and is not empty. Choose another folder with --to.`,
  diskFull: 'the disk is full. Nothing was written. Free some space, or choose another folder with --to.',
  unwritable: (path: string) => `${path} is not writable. Choose another folder with --to.`,
  stopped: 'it was stopped.',
};

/** Texts about coverage folders and their files. */
export const FOLDER = {
  missing: (name: string) => `${name} is missing.`,
  noFile: (name: string) => `${name} must be a file inside the folder, not a link.`,
  bytes: (name: string, bytes: number) => `${name} must have ${n(bytes)} bytes. It is not the exported file.`,
  noPrint: (name: string, width: number, height: number) =>
    `${name} must be a WebP image of ${width} × ${height} pixels without metadata.`,
  otherFormat: (name: string, format: string) => `${name} is not ${format.toUpperCase()} inside.`,
  notUtf8: (name: string) => `${name} is not UTF-8.`,
  mark: (name: string) => `${name} begins with a byte order mark. Save it without one.`,
  longLine: (name: string, line: number) => `${name}, line ${line}: it is too long for an update.`,
  brokenOff: (name: string, line: number) =>
    `${name} is cut off in line ${line}: it does not end with a line feed.`,
  carriageReturn: 'it ends with a carriage return. Lines must end with a line feed only.',
  notJson: (why: string) => `it is not JSON: ${why}`,
  notObject: 'it must be an object.',
  notList: 'it must be a list.',
  missingField: (field: string) => `${field} is missing.`,
  strayField: (field: string) => `${field} is not a known field.`,
  wrong: (name: string, what: string) => `${name}: ${what}`,
  wrongLine: (name: string, line: number, what: string) => `${name}, line ${line}: ${what}`,
  format: 'this is not an exported coverage.',
  version: (known: number) => `only version ${known} is supported. A newer Stoppress may have written it.`,
  id: (what: string) => `the id of a ${what} must be a UUID in lower case.`,
  text: (field: string) => `${field} must be text.`,
  count: 'counts and sizes must be whole numbers.',
  counted: (field: string, line: number) =>
    `its ${field} must be ${line}, because numbers increase by one from line to line.`,
  updates: (name: string, count: number) => `${name} must contain the ${n(count)} updates of the coverage.`,
  changes: (name: string, seq: number) => `${name} must contain the ${n(seq)} changes of the coverage.`,
  update: (number: number) => `Update ${number}`,
  change: (seq: number) => `Change ${seq}`,
  ofField: (sentence: string, field?: string) => (field ? `${field}: ${sentence}` : sentence),
  noState: '--state is for feeds only. A folder contains the state of its coverage.',
  refusedWhole: 'Nothing was imported.',
  done: (slug: string, state: string, count: number, photos: number) =>
    `${slug} (${state}): ${n(count)} updates and ${n(photos)} photos with their history.`,
  unchanged: (slug: string, state: string) => `${slug} (${state}): everything was imported before.`,
  handle: (was: string, handle: string) =>
    `Another person has the handle ${was}. The imported person has the handle ${handle}.`,
  topic: (slug: string) => `A topic ${slug} exists already and was used.`,
  colleagues: (names: string) =>
    `The folder contains updates with bylines of your own staff: ${names}. Check that they wrote them.`,
  slugLeft: (slug: string) => `The older slug ${slug} belongs to another coverage and was not imported.`,
};

/** Formats a size in bytes, at least 1 byte. */
const size = (bytes: number) =>
  bytes < 1_000_000 ? `${n(Math.ceil(bytes / 1000))} kB` : `${n(Math.round(bytes / 100_000) / 10)} MB`;

type TransferReport = { path: string; rows: number; files: number; bytes: number; seconds: number };

const transferSummary = ({ rows, files, bytes, seconds }: TransferReport) =>
  `${n(rows)} rows, ${n(files)} files, ${size(bytes)}, ${n(Math.round(seconds * 10) / 10)} s`;

export const DATA = {
  hosted: 'The backend of this site is a Supabase project. Back it up and restore it there.',
};

export const BACKUP = {
  usage: 'Usage: npm run backup [-- --to FILE_OR_FOLDER]',
  done: (report: TransferReport) => `${report.path}: ${transferSummary(report)}`,
};

export const RESTORE = {
  usage: 'Usage: npm run restore -- FILE [--overwrite]',
  done: (report: TransferReport) => `Restored from ${report.path}: ${transferSummary(report)}`,
  replacedData: (location: string) =>
    `The previous data is in ${location}. Delete it when you no longer need it.`,
  signIn: 'Everyone must sign in again.',
};

export const MOVE = {
  usage: 'Usage: npm run move -- --to https://YOUR_PROJECT.supabase.co',
  secretKey: 'Set MOVE_SECRET_KEY to the secret key of that project.',
  databaseUrl:
    'Set MOVE_DATABASE_URL to the URL of its database: postgresql://postgres:PASSWORD@HOST:5432/postgres',
  otherProject: 'MOVE_DATABASE_URL and --to are different projects.',
  table: (name: string, rows: number, digest: string) =>
    `${name.padEnd(30)} ${n(rows).padStart(10)} rows   ${digest.slice(0, 16)}`,
  files: (files: number, bytes: number, uploaded: number, digest: string) =>
    `${'files'.padEnd(30)} ${n(files).padStart(10)} files  ${digest.slice(0, 16)}  (${bytes > 0 ? size(bytes) : '0 kB'}, ${n(uploaded)} of them now)`,
  filesCopied:
    'The newsroom is running, so only its files were copied. You can repeat this. To finish, stop the newsroom and run it once more.',
  moved: (url: string) => `Everything was moved to ${url} and compared. The newsroom no longer starts here.`,
  alreadyMoved: (url: string) => `Everything was moved to ${url} before. The newsroom no longer starts here.`,
  backup: (path: string) => `The last backup of the old newsroom: ${path}`,
  next: 'Start the site with PUBLIC_SUPABASE_URL, PUBLIC_SUPABASE_PUBLISHABLE_KEY and SUPABASE_SECRET_KEY of the project. Everyone must sign in again, with the same password.',
};

export const DEMO = {
  starting: 'Building the site and creating the demo newsroom. This takes up to a minute.',
  ready: (url: string) =>
    `\nThe demo is at ${url}\nIts live coverage gets a new update every 20 to 40 seconds. Sign in as:\n`,
  account: (role: string, name: string, email: string) => `  ${role.padEnd(12)} ${email.padEnd(26)} ${name}`,
  password: (password: string) =>
    `\nThe password of all accounts is ${password} (demo only). Ctrl-C stops the demo and deletes its data.`,
  retrying: (why: string) => `The demo could not publish an update and tries again: ${why}`,
};
