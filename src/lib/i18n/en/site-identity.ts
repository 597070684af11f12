import type { SiteFont } from '../../domain/site-look.ts';

const EXPORT_ADVICE = 'Export it as plain SVG, with shapes and with colours as attributes, or as PNG.';

/** Messages of logo, menu and fonts: on the pages of readers, and in the form for owners. */
export const siteIdentity = {
  /** Before the name of the sponsor. */
  sponsoredBy: 'Sponsor:',
  menuOf: (site: string) => `Menu of ${site}`,

  help: 'Readers see these on every page. Press Preview to look at them before you save.',
  saved: 'Saved. The pages show it within seconds.',
  view: 'View the front page',
  images: 'Logo',
  imageHelp:
    'An SVG of at most 64 KB, or a PNG of at most 300 KB. It replaces the name at the top of the pages, at most 32 pixels high.',
  imageFields: {
    logo: 'Logo',
    logo_dark: 'Logo for dark mode',
    icon: 'Icon',
  },
  imageFieldHelp: {
    logo: 'The icon of the site is made from it too.',
    logo_dark: 'Optional. Without it, dark mode shows the logo on a light background.',
    icon: 'Optional: a square image for browser tabs and phones.',
  },
  remove: 'Remove this image',
  menu: 'Menu',
  menuHelp: (most: number) => `Up to ${most} links in a row under the name. Empty rows are left out.`,
  menuLabel: (row: number) => `Link ${row}: label`,
  menuUrl: (row: number) => `Link ${row}: address`,
  links: 'Links and sponsor',
  linkFields: {
    newspaper_link: {
      label: 'Link to the newspaper: label',
      url: 'Link to the newspaper: address',
      help: 'The first link of the row.',
    },
    support_link: {
      label: 'Support link: label',
      url: 'Support link: address',
      help: 'The page on which readers support you. The last link of the row, in bold.',
    },
    sponsor: {
      label: 'Sponsor',
      url: 'Address of the sponsor',
      help: 'Optional. The name stands at the foot of the pages, after the word “Sponsor”.',
    },
  },
  fonts: 'Fonts',
  headlineFont: 'Headlines',
  textFont: 'Texts',
  fontHelp: 'Fonts that devices have already, so that pages load as fast as before.',
  fontNames: {
    serif: 'Serif',
    old_style: 'Old style serif',
    sans: 'Sans serif',
    humanist: 'Humanist sans serif',
  } satisfies Record<SiteFont, string>,
  previewTitle: 'Preview: not saved yet',
  previews: { phone: 'Phone', dark: 'Phone in dark mode', desk: 'Computer' },
  sampleHeadline: 'River rises at the old bridge',
  sampleText: 'Council workers close Quay Street. The school is open for everyone who has to leave home.',

  /** Why an image was refused. `name` is an element or attribute of the file. */
  imageProblems: {
    image_format: () => 'Choose an SVG or PNG file.',
    png_unreadable: () =>
      'The PNG cannot be read, or is too large for a logo. Save it again with fewer pixels.',
    svg_unreadable: () => 'The file is damaged or no SVG. Export it again.',
    svg_too_large: () =>
      'The file is too large. An SVG may have 64 KB, and 32 KB after cleaning; a PNG 300 KB.',
    svg_too_complex: () =>
      `The drawing has more than 1,000 parts, or they are nested too deeply. ${EXPORT_ADVICE}`,
    svg_without_size: () =>
      'The drawing has no size, or one side is more than 12 times the other. Set its size and export it again.',
    svg_active: (name: string) =>
      `The file contains “${name}”, which is not allowed in a logo. ${EXPORT_ADVICE}`,
    svg_element: (name: string) =>
      `The file contains “${name}”, which is no shape. Convert text and effects to shapes. ${EXPORT_ADVICE}`,
    svg_reference: (name: string) => `The file refers to another place in “${name}”. ${EXPORT_ADVICE}`,
  },
};
