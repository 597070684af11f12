import { readFile } from 'node:fs/promises';
import { decodeHTML } from 'entities';
import type { Config, MailKind } from '../config.ts';
import { StartError } from '../start-error.ts';

/**
 * Converts a template to plain text: paragraphs, and the URL of each link below its text. Values are filled in later.
 */
function plainTextOf(page: string): string {
  const text = page
    .replace(/^.*<body[^>]*>/is, '')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<a\b[^>]*\shref="([^"]*)"[^>]*>(.*?)<\/a>/g, '$2:<br>$1')
    .replaceAll(/<br\s*\/?>\s*/g, '\n')
    .replaceAll(/<\/(p|h[1-6]|li|tr|div)>\s*/g, '\n\n')
    .replaceAll(/<[^>]*>/g, '');
  return `${decodeHTML(text)
    .replaceAll(/^ +| +$/gm, '')
    .trim()}\n`;
}

/** Variables of templates. A hosted project has them too, so a template with these variables works in both places. */
const VARIABLE_NAMES = [
  'SiteURL',
  'Token',
  'TokenHash',
  'Email',
  'NewEmail',
  'SendingTo',
  'RedirectTo',
] as const;

export type TemplateValues = Record<(typeof VARIABLE_NAMES)[number], string>;

/** Metadata of an account. */
type UserData = Record<string, unknown>;

type MailContent = { html: string; text: string };

/** Fills in a template. @param data metadata of the account, which conditions of the template compare */
type Template = (values: TemplateValues, data?: UserData) => MailContent;

type VariableName = keyof TemplateValues;

/** Position of a value in the template. It decides how the value is escaped. */
type ValuePosition = 'text' | 'address' | 'query';

type Placeholder = { name: VariableName; from: number; to: number | undefined; place: ValuePosition };

/** An action of Go's templates. Conditions aside, only a variable and a slice of a variable are supported. */
const ACTION = /\{\{(.*?)\}\}/gs;
const VARIABLE = /^\.(\w+)$/;
const SLICE = /^slice \.(\w+) (\d+)(?: (\d+))?$/;

/** `{{ if eq .Data.language "es" }}…{{ else }}…{{ end }}`, also with `{{ else if eq … }}`. It cannot be nested. */
const CONDITIONAL = /\{\{ *if eq \.Data\.(\w+) "([^"]*)" *\}\}(.*?)\{\{ *end *\}\}/gs;
const ELSE = /\{\{ *else(?: if eq \.Data\.(\w+) "([^"]*)")? *\}\}/;
const COMPARISON = /eq \.Data\.(\w+) "([^"]*)"/g;

/** Keeps the branches whose condition holds for an account's data, and removes all others. */
function selectBranches(source: string, data: UserData): string {
  return source.replaceAll(CONDITIONAL, (_, key: string, value: string, content: string) => {
    // Key, value and text of each branch. An `else` has neither key nor value.
    const parts: (string | undefined)[] = [key, value, ...content.split(ELSE)];
    for (let index = 0; index < parts.length; index += 3) {
      const branchKey = parts[index];
      if (branchKey === undefined || data[branchKey] === parts[index + 1]) return parts[index + 2] ?? '';
    }
    return '';
  });
}

/** Marks the place of a value while the template is processed. No template contains this character. */
const MARK = '\uE000';
const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`, 'g');

/**
 * Reads a template as Go's html/template does: values are escaped for their place. The plain text of the mail comes
 * from the same template.
 * @param file named in errors
 * @throws StartError for a variable that does not exist or cannot be escaped in its place, in any branch
 */
export function readTemplate(source: string, file: string): Template {
  const read = (data: UserData) => readSelected(selectBranches(source, data), file);
  for (const [, key = '', value] of source.matchAll(COMPARISON)) read({ [key]: value });
  read({});
  return (values, data = {}) => read(data)(values);
}

/** Reads a template without conditions. */
function readSelected(source: string, file: string): (values: TemplateValues) => MailContent {
  const placeholders: Placeholder[] = [];
  const marked = source.replaceAll(ACTION, (action: string, content: string, offset: number) => {
    const placeholder = readAction(content.trim(), source.slice(0, offset));
    if (!placeholder) throw new StartError(`${file}: ${action} is not a variable that can stand there.`);
    placeholders.push(placeholder);
    return `${MARK}${placeholders.length - 1}${MARK}`;
  });
  const text = plainTextOf(marked);
  const fill = (
    page: string,
    write: (placeholder: Placeholder, value: string) => string,
    values: TemplateValues,
  ) =>
    page.replaceAll(MARKED, (_, index: string) => {
      const placeholder = placeholders[Number(index)] as Placeholder;
      return write(placeholder, values[placeholder.name].slice(placeholder.from, placeholder.to));
    });
  return (values) => ({ html: fill(marked, asHtml, values), text: fill(text, asText, values) });
}

function readAction(action: string, before: string): Placeholder | undefined {
  const [, name, from = '0', to] = VARIABLE.exec(action) ?? SLICE.exec(action) ?? [];
  const position = positionAfter(before);
  if (!position || !VARIABLE_NAMES.includes(name as VariableName)) return undefined;
  return {
    name: name as VariableName,
    from: Number(from),
    to: to === undefined ? undefined : Number(to),
    place: position,
  };
}

/** @returns undefined where no value is allowed: in a tag, a comment, a style, script or title, or a link's path */
function positionAfter(before: string): ValuePosition | undefined {
  if (/<!--(?!.*-->)|<(style|script|title)\b(?!.*<\/\1>)/is.test(before)) return undefined;
  if (before.lastIndexOf('<') <= before.lastIndexOf('>')) return 'text';
  const link = /\shref="([^"]*)$/.exec(before)?.[1];
  if (link === '') return 'address';
  return link?.includes('?') ? 'query' : undefined;
}

function asHtml({ place: position }: Placeholder, value: string): string {
  if (position === 'query') return encodeQueryValue(value);
  return escapeHtml(position === 'address' ? httpUrl(value) : value);
}

function asText({ place: position }: Placeholder, value: string): string {
  if (position === 'query') return encodeQueryValue(value);
  return position === 'address' ? httpUrl(value) : toOneLine(value);
}

const encodeQueryValue = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27');

/** Replaces everything except HTTP URLs by `#`, because a link must not run a script. */
const httpUrl = (value: string) => (/^https?:\/\/\S+$/.test(value) ? value : '#');

/** Replaces line breaks and control characters by spaces. Added lines could look like other parts of the mail. */
const toOneLine = (value: string) => value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const escapeHtml = (value: string) =>
  value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** Heading, sentence and link text of the default templates, for a project that has none. */
const DEFAULT_TEXTS: Record<MailKind, [heading: string, sentence: string, action: string]> = {
  confirmation: ['Confirm your signup', 'Follow this link to confirm your account.', 'Confirm your address'],
  invite: ['You have been invited', 'Follow this link to accept the invitation.', 'Accept the invitation'],
  magic_link: ['Sign in', 'Follow this link to sign in.', 'Sign in'],
  recovery: ['Reset your password', 'Follow this link to choose a new password.', 'Reset password'],
  email_change: [
    'Confirm your new address',
    'Follow this link to confirm the change to {{ .NewEmail }}.',
    'Change address',
  ],
};

/** The `type` that `verifyOtp` needs for the link of a mail. */
const OTP_TYPES: Record<MailKind, string> = {
  confirmation: 'email',
  invite: 'invite',
  magic_link: 'email',
  recovery: 'recovery',
  email_change: 'email_change',
};

function defaultTemplate(kind: MailKind): string {
  const [heading, sentence, action] = DEFAULT_TEXTS[kind];
  return `<body><h1>${heading}</h1><p>${sentence}</p>
    <p><a href="{{ .SiteURL }}/auth/confirm?token_hash={{ .TokenHash }}&amp;type=${OTP_TYPES[kind]}&amp;next={{ .RedirectTo }}">${action}</a></p>
    <p>Or enter this code: {{ .Token }}</p></body>`;
}

/** A composed mail. */
export type MailMessage = { kind: MailKind; to: string; subject: string; html: string; text: string };

/** Composes a mail from its template. @param siteUrl base URL of its links */
export type ComposeMail = (kind: MailKind, mail: Mail, siteUrl: string) => MailMessage;

/**
 * Reads the templates that config.toml names.
 * @throws StartError if a template is missing or cannot be filled in safely
 */
export async function readTemplates(
  templateConfigs: Config['auth']['email']['template'],
): Promise<ComposeMail> {
  const readTemplateOf = async (kind: MailKind) => {
    const file = templateConfigs[kind].contentPath;
    if (file === undefined) return readTemplate(defaultTemplate(kind), `The default template of ${kind}`);
    const source = await readFile(file, 'utf8').catch(() => {
      throw new StartError(`${file} cannot be read, and config.toml names it as a template.`);
    });
    return readTemplate(source, file);
  };
  const kinds = Object.keys(templateConfigs) as MailKind[];
  const templates = new Map(
    await Promise.all(kinds.map(async (kind) => [kind, await readTemplateOf(kind)] as const)),
  );
  return (kind, mail, siteUrl) => {
    const template = templates.get(kind);
    if (!template) throw new Error(`There is no template for ${kind}.`);
    const values = {
      SiteURL: siteUrl,
      Token: mail.token,
      TokenHash: mail.tokenHash,
      Email: mail.email,
      NewEmail: mail.newEmail ?? '',
      SendingTo: mail.to,
      // A hosted project uses the site's URL by default too.
      RedirectTo: mail.redirectTo ?? siteUrl,
    };
    const subject = selectBranches(templateConfigs[kind].subject, mail.data);
    return { kind, to: mail.to, subject, ...template(values, mail.data) };
  };
}

export type Mail = {
  /** The single address that the mail is sent to. */
  to: string;
  /** The code for the recipient to enter. */
  token: string;
  /** The secret in the link. */
  tokenHash: string;
  /** Address of the account. The mail may go to another address. */
  email: string;
  /** Address that the account changes to. */
  newEmail?: string;
  /** Metadata of the account, such as its language. */
  data: UserData;
  /** Target after confirmation. The caller has checked it. */
  redirectTo?: string;
};
