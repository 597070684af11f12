/* Writes WordPress exports (WXR 1.2) with entries of the plugins Liveblog and Rolling Coverage. */

type Meta = Record<string, string>;

/** A Liveblog entry. Omitted fields have usual values. */
export type WpEntry = {
  id: number | string;
  content: string;
  at?: string;
  author?: string;
  user?: number;
  meta?: Meta;
  approved?: string;
  type?: string;
};

export type WpPost = {
  id: number;
  title?: string;
  name?: string;
  status?: string;
  type?: string;
  parent?: number;
  password?: string;
  excerpt?: string;
  content?: string;
  creator?: string;
  at?: string;
  meta?: Meta;
  categories?: string;
  /** Address of the file of an attachment. */
  url?: string;
  entries?: WpEntry[];
};

/** Writes a CDATA section. Splits end marks in the text, as WordPress does. */
export const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

const metaOf = (name: string, meta: Meta = {}) =>
  Object.entries(meta)
    .map(
      ([key, value]) =>
        `<wp:${name}><wp:meta_key>${cdata(key)}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:${name}>`,
    )
    .join('\n');

const comment = ({ id, content, at, author = 'Ada Marsh', user = 2, meta, approved, type }: WpEntry) => `
<wp:comment>
<wp:comment_id>${id}</wp:comment_id>
<wp:comment_author>${cdata(author)}</wp:comment_author>
<wp:comment_author_email>${cdata('ada@example.com')}</wp:comment_author_email>
<wp:comment_author_IP>${cdata('')}</wp:comment_author_IP>
<wp:comment_date>${cdata('2015-01-10 13:00:00')}</wp:comment_date>
<wp:comment_date_gmt>${cdata(at ?? `2015-01-10 12:${String(Number(id) % 60).padStart(2, '0')}:00`)}</wp:comment_date_gmt>
<wp:comment_content>${cdata(content)}</wp:comment_content>
<wp:comment_approved>${cdata(approved ?? 'liveblog')}</wp:comment_approved>
<wp:comment_type>${cdata(type ?? 'liveblog')}</wp:comment_type>
<wp:comment_parent>0</wp:comment_parent>
<wp:comment_user_id>${user}</wp:comment_user_id>
${metaOf('commentmeta', meta)}
</wp:comment>`;

export const post = (given: WpPost) => `<item>
<title>${cdata(given.title ?? `Storm &amp; flood ${given.id}`)}</title>
<link>https://old.example/2015/01/${given.name ?? given.id}/</link>
<dc:creator>${cdata(given.creator ?? 'ada')}</dc:creator>
<guid isPermaLink="false">https://old.example/?p=${given.id}</guid>
<description></description>
<content:encoded>${cdata(given.content ?? '')}</content:encoded>
<excerpt:encoded>${cdata(given.excerpt ?? '')}</excerpt:encoded>
<wp:post_id>${given.id}</wp:post_id>
<wp:post_date_gmt>${cdata(given.at ?? '2015-01-10 11:00:00')}</wp:post_date_gmt>
<wp:post_name>${cdata(given.name ?? `post-${given.id}`)}</wp:post_name>
<wp:status>${cdata(given.status ?? 'publish')}</wp:status>
<wp:post_parent>${given.parent ?? 0}</wp:post_parent>
<wp:post_type>${cdata(given.type ?? 'post')}</wp:post_type>
<wp:post_password>${cdata(given.password ?? '')}</wp:post_password>
${given.url === undefined ? '' : `<wp:attachment_url>${cdata(given.url)}</wp:attachment_url>`}
<category domain="category" nicename="weather">${cdata('Weather')}</category>${given.categories ?? ''}
${metaOf('postmeta', given.meta)}
${(given.entries ?? []).map(comment).join('')}
</item>`;

/** A term of a plugin's taxonomy, which stands before the items. */
export const term = (taxonomy: string, slug: string, name: string, description = '', meta: Meta = {}) =>
  `<wp:term><wp:term_id>9</wp:term_id><wp:term_taxonomy>${cdata(taxonomy)}</wp:term_taxonomy><wp:term_slug>${cdata(slug)}</wp:term_slug><wp:term_name>${cdata(name)}</wp:term_name><wp:term_description>${cdata(description)}</wp:term_description>${metaOf('termmeta', meta)}</wp:term>`;

const author = (id: number, login: string, name: string) =>
  `<wp:author><wp:author_id>${id}</wp:author_id><wp:author_login>${cdata(login)}</wp:author_login><wp:author_display_name>${cdata(name)}</wp:author_display_name></wp:author>`;

export const wxr = (...items: string[]) => `<?xml version="1.0" encoding="UTF-8" ?>
<!-- This is an export. <rss> stands below. -->
<!-- generator="WordPress/6.4" created="2015-02-01 10:00" -->
<rss version="2.0"
\txmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
\txmlns:content="http://purl.org/rss/1.0/modules/content/"
\txmlns:wfw="http://wellformedweb.org/CommentAPI/"
\txmlns:dc="http://purl.org/dc/elements/1.1/"
\txmlns:wp="http://wordpress.org/export/1.2/"
>
<channel>
<title>The Old Post</title>
<link>https://old.example</link>
<language>en-GB</language>
<wp:wxr_version>1.2</wp:wxr_version>
${author(2, 'ada', 'Ada Marsh')}${author(3, 'ben', 'Ben Ford')}
<wp:category><wp:term_id>1</wp:term_id><wp:cat_name>${cdata('Weather')}</wp:cat_name></wp:category>
${items.join('\n')}
</channel>
</rss>
`;
