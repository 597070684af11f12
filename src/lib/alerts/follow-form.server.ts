import { Refused, refusal } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { readWish } from './follow.server.ts';
import type { Target } from './follow.ts';
import type { Follow, FollowWish } from './my-follows.ts';

/** A form about one of the things that somebody follows: without either way to be told, it is to stop. */
type FollowForm = Target & { wish: FollowWish };

/** @throws Refused `invalid` where it is none of ours */
export function readFollowForm(form: FormData): FollowForm {
  const kind = textOf(form, 'kind');
  if (kind !== 'coverage' && kind !== 'topic') throw new Refused(refusal('invalid'));
  return { kind, slug: textOf(form, 'slug'), wish: readWish(form) };
}

/** What was sent of something that is followed, to be shown again; of what is none of ours nothing. */
export function typedFollow(form: FormData): Partial<Follow> | undefined {
  try {
    const { wish, ...target } = readFollowForm(form);
    return { ...target, ...wish };
  } catch {
    return undefined;
  }
}
