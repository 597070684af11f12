import { expect, test } from 'vitest';
import { bodyFromHtml } from '../../../src/lib/cli/import/read-feed.ts';
import { pastedMarkdown } from '../../../src/lib/domain/body/html.ts';

/* HTML that these programs put on the clipboard. */
const pastes: Record<string, { html: string; markdown: string; isInline?: boolean }> = {
  'a word processor': {
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Word"><style><!-- p.MsoNormal {mso-style-parent:"";} --></style>
<!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]--></head><body lang=EN-GB><!--StartFragment-->
<p class=MsoNormal><b><span style='font-size:14.0pt'>Gates </span></b>are
closed<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>North gate</p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp;</span></span><![endif]><i>South</i> gate</p>
<p class=MsoNormal style='margin-left:36pt;mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp;</span></span>First</p>
<table class=MsoTable><tr><td><p class=MsoNormal>Level</p></td><td><p class=MsoNormal>4.2 m</p></td></tr></table>
<p class=MsoNormal><span style='display:none;mso-hide:all'>hidden</span>See <a href="https://e.example/a?utm_source=x">the notice</a>.</p>
<!--EndFragment--></body></html>`,
    markdown:
      '**Gates** are closed\n\n- North gate\n- *South* gate\n\n1. First\n\nLevel\n\n4.2 m\n\nSee [the notice](https://e.example/a?utm_source=x).',
  },
  'an editor in a browser': {
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr" style="line-height:1.38;"><span style="font-weight:700;font-style:normal;">Bold</span><span style="font-weight:400;"> and </span><span style="font-weight:400;font-style:italic;">slanted</span></p><br /><ul><li dir="ltr" aria-level="1"><p role="presentation"><span style="font-weight:400;">one</span></p></li><li dir="ltr"><p><a href="https://e.example/two" style="text-decoration:none;"><span style="font-weight:400;">two</span></a></p></li></ul></b><br class="Apple-interchange-newline">`,
    markdown: '**Bold** and *slanted*\n\n- one\n- [two](https://e.example/two)',
  },
  'a web page': {
    html: `<html><body><!--StartFragment--><h2 style="font-weight: 700; color: rgb(0,0,0)">Flood</h2><p style="font-weight: 400;">The <a href="javascript:alert(1)">river</a> rose.<script>alert(1)</script><img src="https://t.example/p.gif" alt="x"></p><blockquote><p>We left.</p><footer>— <cite>A. Ruiz</cite></footer></blockquote><p><a href="https://e.example/story">https://e.example/story</a></p><table><tbody><tr><th>Town</th><th>Level</th></tr><tr><td>Harrow</td><td>4.2</td></tr></tbody></table><!--EndFragment--></body></html>`,
    markdown:
      '**Flood**\n\nThe river rose.\n\n> We left.\n> — A. Ruiz\n\nhttps://e.example/story\n\n| Town | Level |\n| - | - |\n| Harrow | 4.2 |',
  },
  'a spreadsheet': {
    html: `<meta charset="utf-8"><google-sheets-html-origin><style>td {border: 1px solid #cccccc;}</style><table dir="ltr" border="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="font-weight:bold;">Shelter</td><td>Places</td></tr><tr><td>School hall </td><td style="text-align:right;">40</td></tr><tr><td colspan="2">Library | <b>full</b></td></tr><tr><td></td><td></td></tr></tbody></table></google-sheets-html-origin>`,
    markdown: '| Shelter | Places |\n| - | - |\n| School hall | 40 |\n| Library \\| **full** | |',
  },
  'an e-mail': {
    html: `<div dir="ltr">Hello,<div><br></div><div>the road is <b>shut </b>until 5.</div><div class="gmail_quote"><blockquote class="gmail_quote" style="margin:0 0 0 .8ex">When?<br>Today?</blockquote></div></div>`,
    markdown: 'Hello,\n\nthe road is **shut** until 5.\n\n> When?\n> Today?',
  },
  'the embed code of X': {
    html: '<blockquote class="twitter-tweet"><p lang="en" dir="ltr">The bridge is closed.<br>Take Mill Lane. <a href="https://t.co/x">pic.twitter.com/x</a></p>&mdash; Ostley (City) (@ostley) <a href="https://twitter.com/ostley/status/1541815603606036480?ref_src=twsrc%5Etfw">June 28, 2022</a></blockquote> <script async src="https://platform.twitter.com/widgets.js" charset="utf-8"></script>',
    markdown:
      '> The bridge is closed.\n> Take Mill Lane. pic.twitter.com/x\n> — [Ostley (City)](https://twitter.com/ostley/status/1541815603606036480 "@ostley X 2022-06-28T16:07:40Z/2026-11-28T14:02:00Z")',
  },
  'the embed code of Bluesky': {
    html: '<blockquote class="bluesky-embed" data-bluesky-uri="at://did:plc:a/app.bsky.feed.post/3k"><p lang="en">Take Mill Lane.</p>&mdash; Ostley (<a href="https://bsky.app/profile/did:plc:a?ref_src=embed">@ostley.example</a>) <a href="https://bsky.app/profile/did:plc:a/post/3k?ref_src=embed">June 28, 2026 at 4:07 PM</a></blockquote><script async src="https://embed.bsky.app/static/embed.js"></script>',
    markdown:
      '> Take Mill Lane.\n> — [Ostley](https://bsky.app/profile/did:plc:a/post/3k "@ostley.example Bluesky /2026-11-28T14:02:00Z")',
  },
  'an embedded post of a name with marks of the direction of writing': {
    html: '<blockquote class="twitter-tweet"><p>مغلق.</p>&mdash; \u200fسلمى\u200f (@salma) <a href="https://twitter.com/salma/status/1541815603606036480">June 28, 2022</a></blockquote>',
    markdown:
      '> مغلق.\n> — [سلمى](https://twitter.com/salma/status/1541815603606036480 "@salma X 2022-06-28T16:07:40Z/2026-11-28T14:02:00Z")',
  },
  'an embedded post of too long a name, as a quote': {
    html: `<blockquote class="twitter-tweet"><p>Closed.</p>&mdash; ${'x'.repeat(121)} (@x) <a href="https://twitter.com/x/status/1541815603606036480">June 28, 2022</a></blockquote>`,
    markdown: `> Closed.\n> &#x2014; ${'x'.repeat(121)} (@x) June 28, 2022`,
  },
  'a few words': {
    html: `<meta charset="utf-8"><span style="font-weight: 600;">AT&amp;T </span><span>said [sic]</span>`,
    markdown: '**AT&T** said [sic]',
    isInline: true,
  },
  'a picture alone': { html: '<img src="https://e.example/p.png" alt="A gate">', markdown: '' },
};

test.for(Object.entries(pastes))('pastes %s', ([, { html, markdown, isInline = false }]) => {
  expect(pastedMarkdown(bodyFromHtml(html, undefined, '2026-11-28T14:02:00Z'))).toEqual({
    markdown,
    isInline,
  });
});
