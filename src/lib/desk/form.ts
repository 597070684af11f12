import { type Body, type Link, photoIds } from '../body/blocks.ts';
import { parseBody } from '../body/parse.ts';
import { bodyText } from '../body/text.ts';
import { writeBody } from '../body/write.ts';
import { LIMITS } from '../limits.ts';
import { type FormPhoto, formPhoto, NO_PHOTO_WORDS } from '../photos/form.ts';
import { desk } from '../text/desk.ts';
import { contentOf, type DeskUpdate, type UpdateContent, type Urgency } from './update.ts';

/** An update while it is being written: the body as Markdown, nothing null. Named as the database names them. */
export type UpdateForm = {
  headline: string;
  body: string;
  key_event: boolean;
  urgency: Urgency;
  attribution: string;
  dateline: string;
  desk_note: string;
  /** They stand after the text. */
  photos: FormPhoto[];
  /** What pages said of themselves whose addresses stand in the text. */
  links: Link[];
};

export type FormField = keyof UpdateForm;

export const EMPTY_FORM: UpdateForm = {
  headline: '',
  body: '',
  key_event: false,
  urgency: 'normal',
  attribution: '',
  dateline: '',
  desk_note: '',
  photos: [],
  links: [],
};

/** Nothing was typed that would be a pity to lose. */
export function isBlank(form: UpdateForm): boolean {
  const texts = [form.headline, form.body, form.attribution, form.dateline, form.desk_note];
  return form.photos.length === 0 && texts.every((text) => text.trim() === '');
}

/** An update opened for editing. */
export function formOf(update: DeskUpdate): UpdateForm {
  return {
    headline: update.headline ?? '',
    body: writeBody(update.body),
    key_event: update.key_event,
    urgency: update.urgency,
    attribution: update.attribution ?? '',
    dateline: update.dateline ?? '',
    desk_note: update.desk_note ?? '',
    photos: photosOf(update),
    links: [],
  };
}

/** Also of a photo that the desk cannot tell about any more, so that it can be taken out. */
function photosOf({ body, photos }: DeskUpdate): FormPhoto[] {
  const known = new Map(photos.map((photo) => [photo.id, formPhoto(photo)]));
  return photoIds(body).map((id) => known.get(id) ?? { id, ...NO_PHOTO_WORDS });
}

/** The body that a form stands for; an address alone on its line has what is known of it, from here or from `before`. */
export function bodyOf(
  { body, photos, links }: Pick<UpdateForm, 'body' | 'photos' | 'links'>,
  before?: DeskUpdate,
): Body {
  return [
    ...parseBody(body, [...(before?.body ?? []), ...links]),
    ...photos.map(({ id }) => ({ type: 'photo' as const, photo: id })),
  ];
}

/** What is sent. A version is saved whole, so what the form does not show comes from the version `before`. */
export function formContent(form: UpdateForm, before?: DeskUpdate): UpdateContent {
  return {
    ...(before ? contentOf(before) : { verification: 'confirmed' as const, occurred_at: null, bylines: [] }),
    headline: form.headline.trim() || null,
    body: bodyOf(form, before),
    key_event: form.key_event,
    urgency: form.urgency,
    attribution: form.attribution.trim() || null,
    desk_note: form.desk_note.trim() || null,
    dateline: form.dateline.trim() || null,
  };
}

export type FormProblems = Partial<Record<FormField | 'note' | 'scheduled_for', string>>;

/**
 * What the database would refuse, told before it is asked.
 * @param fewest blocks that the body must have: a draft may have none
 */
export function formProblems(content: UpdateContent, fewest: 0 | 1): FormProblems {
  const problems: FormProblems = {};
  const lengths = [
    ['headline', LIMITS.update_headline],
    ['attribution', LIMITS.attribution],
    ['dateline', LIMITS.dateline],
    ['desk_note', LIMITS.desk_note],
  ] as const;
  for (const [field, most] of lengths) {
    const length = characters(content[field] ?? '');
    if (length > most) problems[field] = desk.problems.tooLong(length, most);
  }
  const length = characters(bodyText(content.body));
  if (content.body.length < fewest) problems.body = desk.problems.empty;
  else if (content.body.length > LIMITS.body_blocks) {
    problems.body = desk.problems.blocks(content.body.length, LIMITS.body_blocks);
  } else if (length > LIMITS.body_characters) {
    problems.body = desk.problems.tooLong(length, LIMITS.body_characters);
  }
  return problems;
}

/** Length as the rules count it: in code points. */
export function characters(text: string): number {
  return [...text].length;
}
