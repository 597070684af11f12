import { type SupabaseContext, withSupabase } from '@supabase/server';
import webPush from 'web-push';
import { dataOf, explainErrors, withErrorCodes } from '../_shared/refusals.ts';
import { type AdminClient, CALL_TIMEOUT_MS, type DeliveryCounts, deliver } from './deliver.ts';
import { type Delivery, type DeliveryOutcome, openPhotos } from './delivery.ts';
import { composeConfirmationMail, composeMail, mailAll, type OutgoingMail } from './mail.ts';
import { openVapid, type PushKeys, pushContact, sendPush } from './push.ts';
import { openMailSender, readSmtpSettings } from './smtp.ts';

/** SITE_URL of the website; SMTP_URL and MAIL_FROM of this function. */
const site = Deno.env.get('SITE_URL') ?? '';
const smtp = readSmtpSettings(Deno.env.get('SMTP_URL'), Deno.env.get('MAIL_FROM'));
const mailSender = smtp && openMailSender(smtp, URL.parse(site)?.hostname ?? 'localhost');

/** Created once: the key pair never changes. */
let authorization: Promise<(endpoint: string) => string> | undefined;

function loadAuthorization(backend: AdminClient): Promise<(endpoint: string) => string> {
  authorization ??= saveChannels(backend, smtp !== undefined).then((keys) =>
    openVapid(keys, pushContact(site, smtp?.from.address)),
  );
  authorization.catch(() => {
    authorization = undefined;
  });
  return authorization;
}

/**
 * Records which delivery channels are available, so that pages offer no others, and returns the newsroom's push keys.
 * The first key pair is stored permanently, because push subscriptions are bound to it.
 */
async function saveChannels(backend: AdminClient, mail: boolean): Promise<PushKeys> {
  const generated = webPush.generateVAPIDKeys();
  const stored: { push_public: string; push_private: string } = await dataOf(
    backend
      .rpc('save_alert_settings', {
        push_public: generated.publicKey,
        push_private: generated.privateKey,
        mail,
      })
      .abortSignal(AbortSignal.timeout(CALL_TIMEOUT_MS)),
  );
  return { publicKey: stored.push_public, privateKey: stored.push_private };
}

/** Delivers due alerts for the time of one call. The website calls again while there are more. */
async function handle(_request: Request, { supabaseAdmin }: SupabaseContext): Promise<Response> {
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return Response.json(await deliverDue(supabaseAdmin));
}

async function deliverDue(backend: AdminClient): Promise<DeliveryCounts> {
  const authorize = await loadAuthorization(backend);
  let unreachable = smtp ? undefined : 'there is no mail server';

  async function sendMails(mails: OutgoingMail[], until: number): Promise<Map<string, DeliveryOutcome>> {
    // An unreachable server is not tried again in the same call.
    if (!mailSender || unreachable !== undefined) {
      return new Map(
        mails.map(({ id }): [string, DeliveryOutcome] => [
          id,
          { outcome: 'again', error: unreachable ?? '' },
        ]),
      );
    }
    const result = await mailAll(mails, until, mailSender);
    unreachable = result.unreachable;
    return result.outcomes;
  }

  const from = smtp?.from ?? { name: '', address: '' };
  const readPhoto = openPhotos(backend);
  const channels = {
    async push(group: Delivery[]) {
      const outcomes = group.map(async (one) => [one.id, await sendPush(one, site, authorize)] as const);
      return new Map(await Promise.all(outcomes));
    },
    async mail(group: Delivery[], until: number) {
      const mails = group.map(async (delivery) => {
        const photo = await readPhoto(delivery);
        return {
          id: delivery.id,
          to: delivery.mail?.to,
          compose: () => composeMail(delivery, site, from, photo),
        };
      });
      return sendMails(await Promise.all(mails), until);
    },
  };
  return deliver(backend, channels, (requests, until) =>
    sendMails(
      requests.map((request) => ({
        id: request.id,
        to: request.to,
        compose: () => composeConfirmationMail(request, site, from),
      })),
      until,
    ),
  );
}

/** Accepts any secret key of the project: the site may have a key of its own. */
export default { fetch: withErrorCodes(withSupabase({ auth: 'secret:*' }, explainErrors(handle))) };
