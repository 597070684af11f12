/** Messages of embeds and of the settings for them. */
export const embed = {
  all: (name: string) => `All updates at ${name}`,
  waiting: 'The updates will stand here, the newest at the top.',
  noUpdates: 'No updates yet. The first one will stand here.',
  goTo: (name: string) => `Go to ${name}`,

  title: 'Show it on another site',
  help: 'Put this into another site’s page. It shows the newest updates, follows them by itself, and leads to the whole coverage here.',
  snippet: 'HTML for the other page',
  script:
    'The script makes the frame as high as what is in it. Left out, the frame is 600 pixels high and scrolls. It does no harm where it stands more than once.',
  address: 'Sites that know oEmbed need only the address of this coverage:',
  look: 'Look at the frame alone',
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'This browser does not copy by itself. The text is selected: copy it from the keyboard.',
  notYet: 'Readers do not see this coverage yet. Until they do, the frame says that there is no such page.',
  gone: 'This coverage was withdrawn, and frames say so.',
  nobody: 'At present nobody may show our coverage in a frame: browsers refuse to.',
  only: 'Only these sites may show it:',
  change: 'Who may show our coverage in a frame',
  askOwner: 'An owner can change that.',

  who: 'Who may show our coverage in a frame',
  whoHelp:
    'Other sites’ pages can then hold a live page of ours, which stays ours: its words, its corrections, its links.',
  ways: { anybody: 'Anybody', nobody: 'Nobody', sites: 'These sites' },
  sites: 'Sites',
  sitesHelp: (most: number) =>
    `For “These sites”, one a line, at most ${most}: example.com, or *.example.com for all whose names end so.`,
  noSites: 'Name at least one site, or choose “Nobody”.',
  tooMany: (most: number) => `Name at most ${most} sites.`,
  noSite: (line: string) => `“${line}” is no site. Give each as example.com or *.example.com, one a line.`,
};
