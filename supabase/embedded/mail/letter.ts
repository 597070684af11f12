import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { StartError } from '../start-error.ts';
import type { Mail, MailKind } from './mailer.ts';
import { readTemplate } from './template.ts';

/** A mail as it is handed over. */
export type Letter = { kind: MailKind; to: string; subject: string; html: string; text: string };

/** Writes a mail in the words of its template. @param siteUrl where its links lead */
export type Write = (kind: MailKind, mail: Mail, siteUrl: string) => Letter;

/**
 * Reads the templates that config.toml names.
 * @throws StartError for one that is missing, or that could not be filled in safely
 */
export async function readTemplates(named: Config['auth']['email']['template']): Promise<Write> {
  const read = async (file: string) => {
    const source = await readFile(file, 'utf8').catch(() => {
      throw new StartError(`${file} cannot be read, and config.toml names it as a template.`);
    });
    return readTemplate(source, file);
  };
  const kinds = Object.keys(named) as MailKind[];
  const pages = new Map(
    await Promise.all(kinds.map(async (kind) => [kind, await read(named[kind].contentPath)] as const)),
  );
  return (kind, mail, siteUrl) => {
    const page = pages.get(kind);
    if (!page) throw new Error(`There is no template for ${kind}.`);
    const written = page({
      SiteURL: siteUrl,
      Token: mail.token,
      TokenHash: mail.tokenHash,
      Email: mail.email,
      NewEmail: mail.newEmail ?? '',
      SendingTo: mail.to,
      // A hosted project puts the site in its place too.
      RedirectTo: mail.redirectTo ?? siteUrl,
    });
    return { kind, to: mail.to, subject: named[kind].subject, ...written };
  };
}
