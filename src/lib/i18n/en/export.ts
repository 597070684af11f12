/** Messages of the site export. */
export const takeaway = {
  title: 'Export everything',
  what: 'One archive (.tar.gz) with every coverage, update and version of it, people, photos, the log and what is set here: a file of JSON lines for each kind of thing, the photos in their largest size, and a description of the fields.',
  notBackup:
    'It is not a backup: it holds no passwords, sessions or keys, and cannot be brought back by itself.',
  tips: 'With the tips of readers, which were told in confidence',
  addresses: 'With e-mail addresses and invitations',
  time: 'A large newsroom takes some minutes. What is written meanwhile may be in it or not. That you took it is written down.',
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
      site: 'What is set for the whole site.',
      people: 'Everybody with an account, or who had one.',
      topics: 'Topics.',
      coverages: 'Coverages, with their words, settings and state. `summary` and `body` are blocks.',
      coverage_slugs: 'Every address that a coverage ever had.',
      coverage_topics: 'Which coverages are about which topics.',
      coverage_members: 'Contributors of coverages, each until a time.',
      coverage_revisions: 'Every version of a coverage’s words.',
      updates:
        'Updates of every state. `number` counts those that were published; a withdrawn one has no words.',
      update_bylines: 'Whose words they are.',
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
