import {
  MENU_LINKS,
  SITE_FONTS,
  type SiteFont,
  type SiteIdentity,
  type SiteLink,
  type SiteSponsor,
} from '../domain/site-look.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusalOrThrow } from '../i18n/refusals.ts';
import { type FormValues, fieldText, type RejectedForm, rejectForm } from './forms.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';

/* What the pages look like: the form at /desk/site/masthead. */

/** Fields of images: the name of a stored image, or ''. */
export const IMAGE_FIELDS = ['logo', 'logo_dark', 'icon'] as const;
type ImageField = (typeof IMAGE_FIELDS)[number];

/** The links outside the menu. Each has a field for its label and one for its address. */
const LINK_FIELDS = ['newspaper_link', 'support_link', 'sponsor'] as const;

/** The rows of the menu's form, from 1. */
export const MENU_ROWS = Array.from({ length: MENU_LINKS }, (_, n) => n + 1);

const FONT_FIELDS = ['text_font', 'headline_font'] as const;

const FIELDS: readonly string[] = [
  ...IMAGE_FIELDS,
  ...FONT_FIELDS,
  ...[...LINK_FIELDS, ...MENU_ROWS.map((row) => `menu_${row}`)].flatMap((name) => [
    `${name}_label`,
    `${name}_url`,
  ]),
];

/** The stored identity with its version, which a save must name. */
type StoredIdentity = { identity: SiteIdentity; name: string; version: number };

const COLUMNS =
  'name, identity_version, logo, logo_dark, icon, menu, newspaper_link, support_link, sponsor, text_font, headline_font';

/** Reads the stored identity. */
export async function readIdentity(backend: BackendClient): Promise<StoredIdentity> {
  const { identity_version, name, ...row } = await dataOf(backend.from('site').select(COLUMNS).single());
  // The generated types do not know that the database validates the links.
  return { identity: row as SiteIdentity, name, version: identity_version };
}

/** Returns an identity as form values. */
export function identityValues(identity: SiteIdentity): FormValues {
  const links = [
    ...LINK_FIELDS.map((name) => [name, identity[name]] as const),
    ...MENU_ROWS.map((row) => [`menu_${row}`, identity.menu[row - 1]] as const),
  ];
  return {
    ...Object.fromEntries(IMAGE_FIELDS.map((name) => [name, identity[name] ?? ''])),
    ...Object.fromEntries(FONT_FIELDS.map((name) => [name, identity[name]])),
    ...Object.fromEntries(
      links.flatMap(([name, link]) => [
        [`${name}_label`, link?.label ?? ''],
        [`${name}_url`, link?.url ?? ''],
      ]),
    ),
  };
}

/** Reads the submitted values. An image that is to be removed is ''. */
export const sentIdentity = (form: FormData): FormValues =>
  Object.fromEntries(
    FIELDS.map((name) => [name, form.has(`remove_${name}`) ? '' : fieldText(form, name).trim()]),
  );

/** Converts form values to an identity, as the database takes it. */
export function identityOf(values: FormValues): SiteIdentity {
  const image = (name: ImageField) => values[name] || null;
  const font = (name: string) => SITE_FONTS.find((one) => one === values[name]) ?? ('serif' as SiteFont);
  return {
    logo: image('logo'),
    logo_dark: image('logo_dark'),
    icon: image('icon'),
    menu: menuRows(values).map((row) => linkOf(values, `menu_${row}`) as SiteLink),
    newspaper_link: linkOf(values, 'newspaper_link') as SiteLink | null,
    support_link: linkOf(values, 'support_link') as SiteLink | null,
    sponsor: linkOf(values, 'sponsor', true),
    text_font: font('text_font'),
    headline_font: font('headline_font'),
  };
}

/** The rows of the menu that are filled in. */
const menuRows = (values: FormValues) => MENU_ROWS.filter((row) => linkOf(values, `menu_${row}`));

function linkOf(values: FormValues, name: string, mayLackUrl = false): SiteSponsor | null {
  const [label, url] = [values[`${name}_label`] ?? '', values[`${name}_url`] ?? ''];
  if (label === '' && url === '') return null;
  return url === '' && mayLackUrl ? { label } : { label, url };
}

/** Fields of `save_site_identity`. Missing fields stay as they are. */
export type IdentityFields = Partial<SiteIdentity & { name: string; accent: string; accent_dark: string }>;

/**
 * Saves fields of the identity.
 * @param version of the identity that the caller saw
 * @throws Refused `invalid`, `forbidden`, or `conflict` if another version is stored
 */
export async function saveIdentity(
  backend: BackendClient,
  fields: IdentityFields,
  version: number,
): Promise<void> {
  await runCommand(backend, 'save_site_identity', { content: fields, version });
}

/**
 * Saves the form. When another owner has saved meanwhile, the rejection has what is stored now.
 * @returns the rejection with the version for the next attempt, or undefined
 */
export async function submitIdentity(
  messages: Messages,
  backend: BackendClient,
  values: FormValues,
  version: number,
): Promise<{ rejected: RejectedForm; version: number } | undefined> {
  try {
    await saveIdentity(backend, identityOf(values), version);
    return undefined;
  } catch (error) {
    const reason = refusalOrThrow(error);
    if (reason.code !== 'conflict') return { rejected: rejectIdentity(messages, reason, values), version };
    const stored = await readIdentity(backend);
    const current = identityValues(stored.identity);
    const changed = Object.entries(current).filter(([name, value]) => values[name] !== value);
    // The form was sent twice, or another owner saved the same values.
    if (changed.length === 0) return undefined;
    const refused = new Refused('conflict', { message: ({ settings }) => settings.conflict }).refusal;
    return {
      rejected: { refusal: refused, problems: {}, meanwhile: Object.fromEntries(changed) },
      version: stored.version,
    };
  }
}

/** Converts a refusal to the rejection of the form. */
export function rejectIdentity(messages: Messages, reason: Refusal, values: FormValues): RejectedForm {
  const position = Number(reason.details?.position);
  const row = reason.field === 'menu' && position ? menuRows(values)[position - 1] : undefined;
  const fields: Record<string, string> = {
    menu: `menu_${row ?? 1}_url`,
    ...Object.fromEntries(LINK_FIELDS.map((name) => [name, `${name}_url`])),
  };
  return rejectForm(reason, messages, fields);
}
