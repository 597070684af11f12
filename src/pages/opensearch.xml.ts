import type { APIRoute } from 'astro';
import { encodeXML } from 'entities';
import { siteUrl } from '../lib/data/environment.ts';
import { cachedSite } from '../lib/data/site.ts';
import { searchPath } from '../lib/domain/search.ts';
import { declareCache, tags } from '../lib/http/cache-policy.ts';
import { messagesFor } from '../lib/i18n/messages.server.ts';

/** Maximum length of `ShortName`, in characters. */
const LONGEST_NAME = 16;

/** The OpenSearch description, so that browsers can offer the site's search. */
export const GET: APIRoute = async () => {
  const site = await cachedSite();
  const headers = new Headers({ 'Content-Type': 'application/opensearchdescription+xml; charset=utf-8' });
  declareCache(headers, 'page', [tags.site]);
  const name = [...site.name].slice(0, LONGEST_NAME).join('').trim();
  const template = siteUrl(searchPath({ q: 'TERMS' })).replace('TERMS', '{searchTerms}');
  return new Response(
    `<?xml version="1.0" encoding="utf-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${encodeXML(name)}</ShortName>
<Description>${encodeXML(messagesFor(site.language).search.description(site.name))}</Description>
<Url type="text/html" template="${encodeXML(template)}"/>
<InputEncoding>UTF-8</InputEncoding>
</OpenSearchDescription>
`,
    { headers },
  );
};
