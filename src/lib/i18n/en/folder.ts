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
      updates: 'updates/N.html: each update by itself, with its history',
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
