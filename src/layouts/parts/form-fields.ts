import { LIMITS } from '../../lib/domain/limits.ts';
import { timeZones } from '../../lib/domain/time.ts';
import { languageName } from '../../lib/i18n/language.ts';
import type { Messages } from '../../lib/i18n/messages.ts';

/* Fields that are the same in several forms, as properties of FormField. */

/** An e-mail address. By default it is the address of the account, for password managers. */
export const emailField = (
  { accounts }: Pick<Messages, 'accounts'>,
  {
    value,
    problem,
    label = accounts.fields.email,
    help,
    autocomplete = 'username',
  }: {
    value: string;
    problem?: string;
    label?: string;
    help?: string;
    autocomplete?: 'username' | 'email' | 'off';
  },
) =>
  ({
    name: 'email',
    type: 'email',
    label,
    help,
    value,
    problem,
    autocomplete,
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
  }) as const;

/**
 * A new password with its rule. Password managers can suggest one.
 * @param field.help text after the rule
 */
export function newPasswordField(
  { accounts }: Pick<Messages, 'accounts'>,
  {
    name = 'password',
    label = accounts.fields.password,
    help,
    problem,
  }: { name?: string; label?: string; help?: string; problem?: string | undefined } = {},
) {
  const rule = accounts.fields.passwordHelp(LIMITS.password_min);
  return {
    name,
    type: 'password',
    label,
    help: help ? `${rule} ${help}` : rule,
    problem,
    autocomplete: 'new-password',
    minlength: LIMITS.password_min,
    required: true,
  } as const;
}

/** The current password, required for sensitive changes. `form` makes the id unique on the page. */
export const currentPasswordField = (
  { account }: Pick<Messages, 'account'>,
  { form, problem }: { form: string; problem?: string | undefined },
) =>
  ({
    id: `${form}-current-password`,
    name: 'current_password',
    type: 'password',
    label: account.password.current,
    problem,
    autocomplete: 'current-password',
    required: true,
  }) as const;

type ListField = { label: string; value: string; help?: string; problem?: string | undefined };

/** Languages to choose from. */
const LANGUAGES =
  'en es ar bn ca cs da de el eu fa fi fr gl he hi hu id it ja ko nb nl pl pt pt-BR ro ru sv sw th tr uk ur vi zh-Hans zh-Hant';

/** A list to choose a language from, by name. A language that was stored by its tag need not be one of `LANGUAGES`. */
export function languageField(messages: Parameters<typeof languageName>[0], field: ListField) {
  const tags = [...new Set([...LANGUAGES.split(' '), field.value])].filter(Boolean);
  const options = tags
    .map((tag) => [tag, languageName(messages, tag)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, messages.language));
  return { name: 'language', ...field, options };
}

/** A list to choose a time zone from. A stored zone can have a name that newer time zone data no longer lists. */
export function timeZoneField(field: ListField) {
  const zones = [...new Set([...timeZones(), field.value])].filter(Boolean);
  return {
    name: 'time_zone',
    ...field,
    options: zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
  };
}
