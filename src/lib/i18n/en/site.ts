/** Messages of the site's settings. */
export const site = {
  title: 'The site',
  notYours: 'Only the owner sets this.',
  copies: 'Keep copies on readers’ devices',
  copiesHelp:
    'Pages that somebody has read open again without a line, marked as saved and from when. Without this nothing is kept, and a device throws its copies away when it next opens a page.',
  save: 'Save',
  saved: 'Saved.',
};
