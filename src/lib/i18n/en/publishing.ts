/** Messages of embeds and of the settings for them. */
export const embed = {
  all: (name: string) => `All updates at ${name}`,
  waiting: 'Updates will appear here automatically.',
  noUpdates: 'No updates yet. The first will appear here.',
  goTo: (name: string) => `Go to ${name}`,

  title: 'Embed on another site',
  help: 'Paste this into a page of another site. It shows the newest updates live and links to the whole coverage here.',
  snippet: 'HTML for the other page',
  script: 'The script fits the frame to its content. Without it, the frame is 600 pixels high and scrolls.',
  address: 'WordPress and other sites that support oEmbed need only the address of this coverage:',
  look: 'Preview the frame',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'This browser cannot copy. The text is selected: copy it with the keyboard.',
  notYet: 'Readers do not see this coverage yet. Until then, the frame shows “page not found”.',
  gone: 'This coverage was withdrawn. Frames show that.',
  noSiteAllowed: 'No site may embed our coverage at present.',
  only: 'Only these sites may show it:',
  change: 'Sites that may embed our coverage',
  askOwner: 'An owner can change that.',

  who: 'Sites that may embed our coverage',
  whoHelp: 'These sites can show our live pages in a frame, with every correction.',
  ways: { anybody: 'Any site', nobody: 'No site', sites: 'These sites' },
  sites: 'Sites',
  sitesHelp: (most: number) =>
    `For “These sites”, one per line, at most ${most}: example.com, or *.example.com for all of its subdomains.`,
  noSites: 'Enter at least one site, or choose “No site”.',
  tooMany: (most: number) => `Enter at most ${most} sites.`,
  noSite: (line: string) =>
    `“${line}” is not a site. Enter one per line, such as example.com or *.example.com.`,
};

/** Messages of briefs. */
export const brief = {
  newest: 'Newest updates',
  noUpdates: 'No updates yet.',
  /** @param time may begin with a date */
  corrected: (time: string) => `Corrected ${time}`,
  clarified: (time: string) => `Clarified ${time}`,
  plain: 'As plain text',
};

/** Messages of feeds. */
export const feeds = {
  /** Label before the links to the feeds. */
  label: 'Feeds:',
  title: 'Feeds',
  say: 'All headlines, key events, corrections and withdrawals of all coverages:',
  each: 'Each coverage and topic also has its own feeds, linked at the foot of its page. The feeds of a coverage contain all of its updates.',
};

/** Messages of the site export. */
export const takeaway = {
  title: 'Export everything',
  what: 'One archive (.tar.gz) with all coverages, updates, versions, people, photos, settings and the activity log. It contains JSON Lines files, the photos in their largest size, the video and audio files, and a description of the fields.',
  notBackup: 'It is not a backup: it contains no passwords, sessions or keys, and cannot be restored.',
  tips: 'Include the tips of readers, which are confidential',
  addresses: 'Include e-mail addresses and invitations',
  time: 'A large newsroom takes some minutes. Changes during that time may be missing. The activity log records your export.',
  press: 'Export',
  back: 'Back to the site settings',
  notYours: 'Only owners can export everything.',
  readme: {
    head: (site: string, url: string, time: string) =>
      `${site} (${url})\nAll data of the newsroom, exported on ${time}.`,
    how: 'Each file ending in .jsonl has one JSON object per line, in UTF-8. Times are in UTC. An id names the same thing in every file. Photos are in the folder photos, each under its id, in its largest size (WebP), and video and audio files in the folder media.',
    notBackup:
      'This is not a backup: it contains no passwords, sessions, keys or hashes. Changes during the export may be in one file and missing in another.',
    part: (file: string, rows: string, fields: string) => `${file}: ${rows}. Fields: ${fields}.`,
    rows: (count: number, shown: string) => (count === 1 ? '1 line' : `${shown} lines`),
    photos: (count: number, shown: string) => (count === 1 ? '1 photo' : `${shown} photos`),
    media: (count: number, shown: string) => (count === 1 ? '1 file' : `${shown} files`),
    missing: 'These photos or files could not be read:',
    none: 'none',
    parts: {
      site: 'Settings of the whole site.',
      people: 'All accounts, current and former.',
      topics: 'Topics.',
      coverages: 'Coverages, with their text, settings and state. `summary` and `body` are blocks.',
      coverage_slugs: 'Every address that a coverage ever had.',
      coverage_topics: 'Topics of the coverages.',
      coverage_members: 'Contributors of coverages, each until a time.',
      coverage_revisions: 'Every version of a coverage’s text.',
      updates:
        'Updates of every state. `number` counts those that were published; a withdrawn one has no text.',
      update_bylines: 'Names on the updates.',
      update_photos: 'Which photos an update shows.',
      update_revisions:
        'Every version of an update, with the note of a correction. A redacted one has no content.',
      coverage_changes: 'Changes that readers saw, in order.',
      photos: 'Photos: alt text, caption, credit and sizes.',
      media_files: 'Video and audio files: format, size and length.',
      update_media: 'Which files an update shows.',
      audit_log: 'The activity log.',
      tips: 'Tips from readers.',
      invites: 'Invitations of the last weeks.',
      addresses: 'E-mail addresses of accounts.',
    } as Record<string, string>,
  },
};

type Said = { headline: string; site: string; url: string; time: string; updates: number; seq: number };

/** Messages of a coverage folder. */
export const folder = {
  /** At the foot of each page, before the URL. */
  copyOf: 'Archived copy. Original page:',

  readme: {
    head: ({ headline, site, url }: Said) => `${headline}\n${site}: ${url}`,
    what: ({ time, updates, seq }: Said) =>
      `This folder contains everything that readers could see of this coverage after its last change on ${time}: ${updates === 1 ? '1 update' : `${updates} updates`}, each with its corrections and its earlier versions (change ${seq}). For withdrawn updates it contains only the reason.`,
    open: 'To read it, open index.html in any browser. Nothing has to be installed, and no connection is needed. To publish it, put the folder as it is on any web host, at any address: links within it lead from file to file. It contains no scripts. Links to other pages of the newsroom lead to its site.',
    files: {
      index: 'index.html: what is known, key events, and the newest updates',
      pages: 'page-N.html: older updates, ten a page, below number N',
      key: 'key-events.html: key events alone',
      timeline: 'timeline.html: the coverage by its days',
      updates: 'updates/N.html: one page for each update, with its edit history',
      feeds: 'feed.atom, feed.json: all updates, for feed readers (Atom, JSON Feed 1.1)',
      photos: 'photos/: photos by id and width in pixels (WebP)',
      media: 'media/: video and audio files by id',
      data: 'data/: the same for programs: coverage.json (stoppress-coverage, version 1), updates.jsonl and changes.jsonl, one JSON object per line, in UTF-8, times in UTC',
    },
    again: 'To bring it into a newsroom of Stoppress, with its history:\n  npm run import -- FOLDER',
    newer: 'Later corrections and withdrawals are not in this copy. Ask for a new one before you publish it.',
    whose: (publisher: string) =>
      `The texts and photos belong to ${publisher} and to the people named with them. Ask before you use them.`,
    contact: (contact: string) => `Contact: ${contact}`,
  },
};
