import { type SupabaseContext, withSupabase } from '@supabase/server';
import { sayingWhy, speakingOurCodes } from '../_shared/refusals.ts';
import { type Backend, deliver, type Told } from './deliver.ts';
import type { Outcome } from './delivery.ts';
import { mailAll } from './mail.ts';
import { openMeans } from './delivery-channels.ts';
import { openPost, readSmtpSettings } from './smtp.ts';
import { push, openVapid, pushContact } from './push.ts';

/** SITE_URL of the website; SMTP_URL and MAIL_FROM of this function. */
const site = Deno.env.get('SITE_URL') ?? '';
const smtp = readSmtpSettings(Deno.env.get('SMTP_URL'), Deno.env.get('MAIL_FROM'));
const post = smtp && openPost(smtp, URL.parse(site)?.hostname ?? 'localhost');

/** Created once: the key pair never changes. */
let authorization: Promise<(endpoint: string) => string> | undefined;

function authorized(backend: Backend): Promise<(endpoint: string) => string> {
  authorization ??= openMeans(backend, smtp !== undefined).then((keys) =>
    openVapid(keys, pushContact(site, smtp?.from.address)),
  );
  authorization.catch(() => {
    authorization = undefined;
  });
  return authorization;
}

/** Delivers due alerts for the time of one call. The website calls again while there are more. */
async function handle(_request: Request, { supabaseAdmin }: SupabaseContext): Promise<Response> {
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return Response.json(await tell(supabaseAdmin));
}

async function tell(backend: Backend): Promise<Told> {
  const show = await authorized(backend);
  let gone = smtp ? undefined : 'there is no mail server';
  return deliver(backend, {
    async push(group) {
      const outcomes = group.map(async (one) => [one.id, await push(one, site, show)] as const);
      return new Map(await Promise.all(outcomes));
    },
    async mail(group, until) {
      // An unreachable server is not tried again in the same call.
      if (!smtp || !post || gone !== undefined) {
        return new Map(
          group.map(({ id }): [string, Outcome] => [id, { outcome: 'again', error: gone ?? '' }]),
        );
      }
      const written = await mailAll(group, until, site, smtp, post);
      gone = written.gone;
      return written.outcomes;
    },
  });
}

/** Accepts any secret key of the project: the site may have a key of its own. */
export default { fetch: speakingOurCodes(withSupabase({ auth: 'secret:*' }, sayingWhy(handle))) };
