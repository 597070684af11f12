import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import type { Delivery } from '../../../supabase/functions/deliver-alerts/delivery.ts';
import { composeConfirmationMail, composeMail } from '../../../supabase/functions/deliver-alerts/mail.ts';

const SITE = 'https://news.example';
const FROM = { name: 'The Ostley Courier', address: 'paper@example.com' };

const update = (number: number, more: Partial<Delivery['updates'][number]> = {}) => ({
  number,
  headline: `Headline ${number}`,
  text: `Words of ${number}.`,
  key_event: false,
  urgency: 'normal',
  published_at: '2026-11-22T14:02:00+00:00',
  photo: null,
  ...more,
});

const delivery = (more: Partial<Delivery> = {}): Delivery & { mail: NonNullable<Delivery['mail']> } => ({
  id: '7f1c1b1e-0000-4000-8000-000000000001',
  channel: 'mail',
  alert: '7f1c1b1e-0000-4000-8000-000000000002',
  urgent: false,
  language: 'en',
  site: { name: 'The Ostley Courier' },
  coverage: { slug: 'river', headline: 'The river rises', time_zone: 'Europe/Madrid' },
  updates: [update(12), update(11, { key_event: true, urgency: 'urgent' })],
  total: 2,
  push: null,
  ...more,
  mail: { to: 'ada@example.com', account: true, stop: 'S'.repeat(43), follow: { name: 'The river rises' } },
});

async function read(one: ReturnType<typeof delivery>, photo?: string) {
  const bytes = await composeMail(one, SITE, FROM, photo).build();
  return { mail: await PostalMime.parse(bytes), raw: bytes.toString('latin1') };
}

test('has readable plain text, with one explanation of its unsubscribe link', async () => {
  const { mail } = await read(delivery());
  expect(mail.text?.trimEnd()).toBe(
    [
      'The river rises',
      '2 new updates · The Ostley Courier',
      '',
      '15:02 GMT+1',
      'Headline 12',
      'Words of 12.',
      'https://news.example/live/river/12',
      '',
      '15:02 GMT+1 · Urgent · Key event',
      'Headline 11',
      'Words of 11.',
      'https://news.example/live/river/11',
      '',
      'Read the live coverage:',
      'https://news.example/live/river',
      '',
      '-- ',
      'You get this e-mail because you follow “The river rises” at The Ostley',
      'Courier.',
      '',
      'Stop e-mails about “The river rises”:',
      `https://news.example/unsubscribe/${'S'.repeat(43)}`,
      '',
      'Change your alerts:',
      'https://news.example/account',
    ].join('\n'),
  );
});

test('has the same message id when it is written again', async () => {
  const [one, again] = [await read(delivery()), await read(delivery())];
  expect(one.mail.messageId).toBe('<alert-7f1c1b1e-0000-4000-8000-000000000001@news.example>');
  expect(again.mail.messageId).toBe(one.mail.messageId);
});

test('escapes text in headers, elements and links', async () => {
  const hostile =
    '"><script>alert(1)</script>\r\nBcc: all@example.com\u2028<img src="https://spy.example/x">';
  const { mail, raw } = await read(
    delivery({
      coverage: { slug: 'river', headline: hostile },
      site: { name: hostile },
      updates: [update(12, { headline: hostile, text: hostile })],
      total: 1,
    }),
  );
  const names = mail.headers.map(({ key }) => key);
  expect(names).not.toContain('bcc');
  expect(names.filter((name) => name === 'subject')).toHaveLength(1);
  expect(mail.to).toEqual([{ address: 'ada@example.com', name: '' }]);
  expect(mail.subject).toContain('Bcc: all@example.com');
  expect(raw).not.toMatch(/^bcc:/im);
  expect(mail.html).not.toMatch(/<script|<img|<link|<iframe/i);
  const links = [...(mail.html ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(3);
  expect(links.filter((link) => !link?.startsWith(`${SITE}/`))).toEqual([]);
});

test('keeps the text direction of a language without a translation, in an English mail', async () => {
  const { mail } = await read(
    delivery({ language: 'ar', coverage: { slug: 'river', headline: 'ارتفاع النهر' } }),
  );
  expect(mail.html).toContain('<html lang="en">');
  expect(mail.html).toContain('<h1 lang="ar" dir="rtl">ارتفاع النهر</h1>');
  expect(mail.html).toContain('14:02 UTC');
  expect(mail.subject).toContain('ارتفاع النهر');
});

test('has a subject for a photo without text, and shortens a long headline', async () => {
  const bare = await read(delivery({ updates: [update(1, { headline: null, text: '' })], total: 1 }));
  expect(bare.mail.subject).toBe('The river rises: 1 new update');
  const long = await read(delivery({ updates: [update(1, { headline: '🌊'.repeat(300) })], total: 1 }));
  expect([...(long.mail.subject ?? '')]).toHaveLength(200);
});

const PHOTO = {
  id: '7f1c1b1e-0000-4000-8000-000000000004',
  bucket: 'photos',
  width: 480,
  height: 320,
  alt: 'The quay, "under" <water>',
};

test('contains the photo of the alert, so that reading it loads nothing', async () => {
  const bytes = Uint8Array.from({ length: 3_000 }, (_, index) => index % 256);
  const { mail } = await read(
    delivery({ updates: [update(12, { photo: PHOTO }), update(11)] }),
    Buffer.from(bytes).toString('base64'),
  );
  const [attachment, ...others] = mail.attachments;
  expect(others).toEqual([]);
  expect(attachment).toMatchObject({ mimeType: 'image/webp', disposition: 'inline', contentId: '<photo>' });
  expect(new Uint8Array(attachment?.content as ArrayBuffer)).toEqual(bytes);
  expect(mail.html).toContain(
    '<img src="cid:photo" width="480" height="320" alt="The quay, &quot;under&quot; &lt;water&gt;" lang="en" dir="ltr">',
  );
  expect(mail.text).toContain('Headline 12');
});

test('is complete without a photo that cannot be read', async () => {
  const { mail } = await read(delivery({ updates: [update(12, { photo: PHOTO })], total: 1 }));
  expect(mail.attachments).toEqual([]);
  expect(mail.html).not.toContain('<img');
  expect(mail.html).toContain('Headline 12');
});

test('offers an account to an address that has none', async () => {
  const one = delivery();
  const { mail } = await read({ ...one, mail: { ...one.mail, account: false } });
  expect(mail.text).toContain(
    `Create an account to see and change all your alerts:\n${SITE}/sign-up?next=%2Faccount`,
  );
  expect(mail.text).not.toContain(`\n${SITE}/account`);
});

const request = {
  id: '7f1c1b1e-0000-4000-8000-000000000003',
  token: 'T'.repeat(43),
  to: 'ada@example.com',
  scope: 'key' as const,
  language: 'en',
  site: { name: 'The Ostley Courier' },
  follow: { name: 'The river <rises>\r\nBcc: eve@example.com' },
};

test('the mail that confirms an address has one link, and no text of others as markup or header', async () => {
  const bytes = await composeConfirmationMail(request, SITE, FROM).build();
  const mail = await PostalMime.parse(bytes);
  const link = `${SITE}/follow/confirm/${request.token}`;
  expect(mail.subject).toBe('Confirm your alerts about “The river <rises> Bcc: eve@example.com”');
  expect(mail.headers.some(({ key }) => key === 'bcc')).toBe(false);
  expect(mail.text).toContain(`Start these alerts:\n${link}\n`);
  expect(mail.html?.match(/href="[^"]*"/g)).toEqual([`href="${link}"`]);
  expect(mail.html).not.toContain('<rises>');
  const spanish = await composeConfirmationMail({ ...request, language: 'es-MX' }, SITE, FROM).build();
  expect((await PostalMime.parse(spanish)).text).toContain('solo los momentos clave');
});
