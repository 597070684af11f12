/** Messages of embeds and of the settings for them. */
export const embed = {
  all: (name: string) => `All updates at ${name}`,
  waiting: 'The updates will stand here, the newest at the top.',
  noUpdates: 'No updates yet. The first one will stand here.',
  goTo: (name: string) => `Go to ${name}`,

  title: 'Show it on another site',
  help: 'Paste this into a page of another site. It shows the newest updates live and links to the whole coverage here.',
  snippet: 'HTML for the other page',
  script:
    'The script makes the frame as high as what is in it. Left out, the frame is 600 pixels high and scrolls. It does no harm where it stands more than once.',
  address: 'Sites that know oEmbed need only the address of this coverage:',
  look: 'Look at the frame alone',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'This browser cannot copy. The text is selected: copy it with the keyboard.',
  notYet: 'Readers do not see this coverage yet. Until they do, the frame says that there is no such page.',
  gone: 'This coverage was withdrawn, and frames say so.',
  nobody: 'At present no site may embed our coverage.',
  only: 'Only these sites may show it:',
  change: 'Sites that may embed our coverage',
  askOwner: 'An owner can change that.',

  who: 'Sites that may embed our coverage',
  whoHelp:
    'Other sites’ pages can then hold a live page of ours, which stays ours: its words, its corrections, its links.',
  ways: { anybody: 'Any site', nobody: 'No site', sites: 'These sites' },
  sites: 'Sites',
  sitesHelp: (most: number) =>
    `For “These sites”, one a line, at most ${most}: example.com, or *.example.com for all whose names end so.`,
  noSites: 'Name at least one site, or choose “No site”.',
  tooMany: (most: number) => `Name at most ${most} sites.`,
  noSite: (line: string) => `“${line}” is no site. Give each as example.com or *.example.com, one a line.`,
};

/** Messages of feeds. */
export const feeds = {
  /** Label before the links to the feeds. */
  label: 'Feeds:',
  title: 'To follow us in a feed reader',
  say: 'Everything that has a headline, every key event, every correction and every withdrawal, of all coverages:',
  each: 'Each coverage and each topic has feeds of its own: the links stand at the foot of its page. A coverage’s have all of its updates.',
};

/** Messages of the site export. */
export const takeaway = {
  title: 'Export everything',
  what: 'One archive (.tar.gz) with every coverage, update and version of it, people, photos, the log and what is set here: a file of JSON lines for each kind of thing, the photos in their largest size, and a description of the fields.',
  notBackup:
    'It is not a backup: it holds no passwords, sessions or keys, and cannot be brought back by itself.',
  tips: 'With the tips of readers, which are confidential',
  addresses: 'With e-mail addresses and invitations',
  time: 'A large newsroom takes some minutes. Changes during that time may be missing. The activity log records your export.',
  press: 'Export',
  back: 'Site',
  notYours: 'Only owners take everything away.',
  readme: {
    head: (site: string, url: string, time: string) =>
      `${site} (${url})\nEverything that the newsroom had, as it was exported on ${time}.`,
    how: 'Each file ending in .jsonl has one thing a line, written as JSON (UTF-8). Times are in UTC. An id names the same thing in every file. Photos are in the folder photos, each under its id, in its largest size (WebP).',
    notBackup:
      'This is no backup: passwords, sessions, keys and digests are not in it. What changed while it was made may be in one file and not in another.',
    part: (file: string, rows: string, fields: string) => `${file}: ${rows}. Fields: ${fields}.`,
    rows: (count: number, shown: string) => (count === 1 ? '1 line' : `${shown} lines`),
    photos: (count: number, shown: string) => (count === 1 ? '1 photo' : `${shown} photos`),
    missing: 'These photos could not be read:',
    none: 'none',
    parts: {
      site: 'Settings of the whole site.',
      people: 'All accounts, current and former.',
      topics: 'Topics.',
      coverages: 'Coverages, with their words, settings and state. `summary` and `body` are blocks.',
      coverage_slugs: 'Every address that a coverage ever had.',
      coverage_topics: 'Topics of the coverages.',
      coverage_members: 'Contributors of coverages, each until a time.',
      coverage_revisions: 'Every version of a coverage’s words.',
      updates:
        'Updates of every state. `number` counts those that were published; a withdrawn one has no words.',
      update_bylines: 'Names on the updates.',
      update_photos: 'Which photos an update shows.',
      update_revisions:
        'Every version of an update, with the note of a correction. A redacted one has no content.',
      coverage_changes: 'What readers saw change, in order.',
      photos: 'Photos: what they show, caption, credit and sizes.',
      audit_log: 'Who did what, and when.',
      tips: 'What readers told.',
      invites: 'Invitations of the last weeks.',
      addresses: 'E-mail addresses of accounts.',
    } as Record<string, string>,
  },
};

type Said = { headline: string; site: string; url: string; time: string; updates: number; seq: number };

/** Messages of a coverage folder. */
export const folder = {
  /** At the foot of each page, before the URL. */
  copyOf: 'A copy to be kept. The page itself:',

  readme: {
    head: ({ headline, site, url }: Said) => `${headline}\n${site}: ${url}`,
    what: ({ time, updates, seq }: Said) =>
      `This folder holds all that readers could see of this coverage after its last change on ${time}: ${updates === 1 ? '1 update' : `${updates} updates`}, each with its corrections and its earlier versions (change ${seq}). Of what was withdrawn it holds the reason, and no words.`,
    open: 'To read it, open index.html in any browser. Nothing has to be installed, and no line is needed. To publish it, put the folder as it is on any web host, at any address: links within it lead from file to file. There is no program in it. Links to other pages of the newsroom lead to its site.',
    files: {
      index: 'index.html: what is known, key events, and the newest updates',
      pages: 'page-N.html: older updates, ten a page, below number N',
      key: 'key-events.html: key events alone',
      timeline: 'timeline.html: the coverage by its days',
      updates: 'updates/N.html: one page for each update, with its edit history',
      feeds: 'feed.atom, feed.json: all updates, for feed readers (Atom, JSON Feed 1.1)',
      photos: 'photos/: photos by id and width in pixels (WebP)',
      data: 'data/: the same for programs: coverage.json (stoppress-coverage, version 1), updates.jsonl and changes.jsonl, one thing a line, as JSON in UTF-8, times in UTC',
    },
    again: 'To bring it into a newsroom of Stoppress, with its history:\n  npm run import -- FOLDER',
    newer:
      'What the newsroom corrects or withdraws later stays as it was in this copy: whoever shows it to others should ask for a new one now and then.',
    whose: (publisher: string) =>
      `The words and pictures belong to ${publisher} and to those who are named under them. Ask before you use them.`,
    contact: (contact: string) => `Contact: ${contact}`,
  },
};
