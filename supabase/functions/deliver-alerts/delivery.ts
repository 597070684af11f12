import type { SupabaseContext } from '@supabase/server';
import { base64 } from '../_shared/crypto.ts';

/** A photo that readers see, with the size of its smallest rendition in pixels. */
export type AlertPhoto = { id: string; bucket: string; width: number; height: number; alt: string };

/** An update in an alert. */
export type AlertUpdate = {
  number: number;
  headline: string | null;
  /** Its first words. */
  text: string;
  key_event: boolean;
  urgency: string;
  published_at: string;
  /** Its first photo, or the lead photo of the coverage. */
  photo: AlertPhoto | null;
};

/** An alert to one person over one channel, as the database returns it. */
export type Delivery = {
  id: string;
  channel: 'push' | 'mail';
  /** Id of the alert, which all its deliveries share. */
  alert: string;
  urgent: boolean;
  /** Language of the coverage. */
  language: string;
  site: { name: string };
  coverage: { slug: string; headline: string; time_zone?: string };
  /** Newest first. Limited if there are many. */
  updates: AlertUpdate[];
  total: number;
  push: { endpoint: string; p256dh: string; auth: string } | null;
  mail: {
    /** E-mail address. */
    to: string;
    /** Whether the receiver has an account. */
    account: boolean;
    /** Secret of the unsubscribe link. */
    stop: string;
    follow: {
      /** Headline of the coverage or name of the topic. */
      name: string;
    };
  } | null;
};

/**
 * Outcome of a delivery. `gone`: the subscription or address no longer exists; `again`: not delivered, to be retried;
 * `refused`: not delivered, not to be retried.
 */
export type DeliveryOutcome = {
  outcome: 'sent' | 'gone' | 'again' | 'refused';
  /** Seconds to wait before retrying. */
  retry_after?: number;
  /** Reason in a few words, without personal data. */
  error?: string;
};

/** A request to follow by e-mail without an account, as the database hands it out. */
export type FollowRequest = {
  id: string;
  /** Secret of the link that confirms the address. */
  token: string;
  /** E-mail address. */
  to: string;
  scope: 'all' | 'key';
  language: string;
  site: { name: string };
  follow: { name: string };
};

/** Texts of mails and pushes in the supported languages. */
const ENGLISH = {
  language: 'en',
  news: (count: number) => (count === 1 ? '1 new update' : `${count} new updates`),
  more: (count: number) => (count === 1 ? 'and 1 more update' : `and ${count} more updates`),
  keyEvent: 'Key event',
  urgent: 'Urgent',
  read: 'Read the live coverage',
  why: (followed: string, site: string) => `You get this e-mail because you follow “${followed}” at ${site}.`,
  stop: (followed: string) => `Stop e-mails about “${followed}”`,
  account: 'Change your alerts',
  signUp: 'Create an account to see and change all your alerts',
  confirm: {
    subject: (followed: string) => `Confirm your alerts about “${followed}”`,
    what: (scope: 'all' | 'key', followed: string, site: string) =>
      `You, or another person, asked for alerts by e-mail from ${site}: ${
        scope === 'all' ? 'all updates' : 'key events only'
      } about “${followed}”.`,
    press: 'Start these alerts',
    ignore:
      'The link works for 24 hours. If you did not ask for alerts, ignore this e-mail: you get none, and we delete your address.',
  },
};

const SPANISH: typeof ENGLISH = {
  language: 'es',
  news: (count) => (count === 1 ? '1 actualización nueva' : `${count} actualizaciones nuevas`),
  more: (count) => (count === 1 ? 'y 1 actualización más' : `y ${count} actualizaciones más`),
  keyEvent: 'Momento clave',
  urgent: 'Urgente',
  read: 'Leer la cobertura en directo',
  why: (followed, site) => `Recibe este correo porque sigue «${followed}» en ${site}.`,
  stop: (followed) => `No recibir más correos sobre «${followed}»`,
  account: 'Cambiar sus alertas',
  signUp: 'Crear una cuenta para ver y cambiar todas sus alertas',
  confirm: {
    subject: (followed) => `Confirme sus alertas sobre «${followed}»`,
    what: (scope, followed, site) =>
      `Usted u otra persona ha pedido alertas por correo de ${site}: ${
        scope === 'all' ? 'todas las actualizaciones' : 'solo los momentos clave'
      } sobre «${followed}».`,
    press: 'Empezar a recibirlas',
    ignore:
      'El enlace vale durante 24 horas. Si no ha pedido alertas, ignore este correo: no recibirá ninguna y borraremos su dirección.',
  },
};

export type AlertMessages = typeof ENGLISH;

/** Returns the texts in the language of the coverage if it is supported, otherwise in English. */
export const alertMessagesFor = (language: string): AlertMessages =>
  /^es\b/i.test(language) ? SPANISH : ENGLISH;

/** Content of an alert for both channels. */
export type AlertContent = {
  /** URL of the live page. */
  page: string;
  updates: (AlertUpdate & { url: string })[];
  newest: string;
};

/** Returns the content of an alert for both channels. @param site URL of the site */
export function alertContentOf({ coverage, updates, language, total }: Delivery, site: string): AlertContent {
  const page = new URL(`/live/${coverage.slug}`, site).href;
  const [first] = updates;
  // An update may consist of a photo only.
  const newest = first?.headline || first?.text || alertMessagesFor(language).news(total);
  return {
    page,
    updates: updates.map((update) => ({ ...update, url: `${page}/${update.number}` })),
    newest: onOneLine(newest),
  };
}

/** Replaces line breaks and control characters, so that the text is safe in headers, titles and terminals. */
export const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** ISO 15924 codes of right-to-left scripts. */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

/** Returns the writing direction of a language; left to right for languages that Intl does not know. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

/** Timeout of reading a photo, in milliseconds. A mail without its photo is better than a late mail. */
const PHOTO_TIMEOUT_MS = 5_000;
/** Larger files are left out, so that mails stay small. The smallest rendition has about 40 KB. */
const MAX_PHOTO_BYTES = 150_000;

/** Returns the photo of an alert: that of its newest update. */
export const photoOf = ({ updates: [newest] }: Delivery): AlertPhoto | null => newest?.photo ?? null;

/**
 * Returns a function that reads the file of an alert's photo in base64, once for all mails; undefined if it cannot be
 * read.
 */
export function openPhotos(
  backend: Pick<SupabaseContext['supabaseAdmin'], 'storage'>,
): (delivery: Delivery) => Promise<string | undefined> {
  const files = new Map<string, Promise<string | undefined>>();

  async function read({ id, bucket, width }: AlertPhoto): Promise<string | undefined> {
    const signal = AbortSignal.timeout(PHOTO_TIMEOUT_MS);
    const { data } = await backend.storage
      .from(bucket)
      .download(`renditions/${id}/${width}`, undefined, { signal });
    if (!data || data.size > MAX_PHOTO_BYTES) return undefined;
    return base64(new Uint8Array(await data.arrayBuffer()));
  }

  return async (delivery) => {
    const photo = photoOf(delivery);
    if (!photo) return undefined;
    const file = files.get(photo.id) ?? read(photo).catch(() => undefined);
    files.set(photo.id, file);
    return file;
  };
}
