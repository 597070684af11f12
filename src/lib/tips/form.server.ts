import { readForm, textOf } from '../http/forms.ts';
import type { TipText } from './tip.ts';

/** The plain form as it was sent. */
export type TipForm = {
  text: TipText;
  photo: File | null;
  /** Of the field that people neither see nor reach. */
  website: string;
};

/** @throws Refused `invalid`, `too_large` */
export async function readTipForm(request: Request): Promise<TipForm> {
  const form = await readForm(request);
  const photo = form.get('photo');
  return {
    text: {
      coverage: textOf(form, 'coverage'),
      body: textOf(form, 'body'),
      name: textOf(form, 'name'),
      may_name: form.has('may_name'),
      contact: textOf(form, 'contact'),
    },
    // A field without a file is sent as an empty one.
    photo: photo instanceof File && photo.size > 0 ? photo : null,
    website: textOf(form, 'website'),
  };
}
