/**
 * The body of an update: blocks of text, as the database stores and checks them. There is no HTML in
 * it, so there is nothing to sanitise.
 */
export type Run = { text: string; bold?: boolean; italic?: boolean; link?: string };

export type Paragraph = { type: 'paragraph'; runs: Run[] };
export type List = { type: 'list'; ordered?: boolean; items: Run[][] };
export type Quote = { type: 'quote'; text: string; attribution?: string };
export type Link = { type: 'link'; url: string; title: string; description?: string; site?: string };
/** A photo by its id. Readers do not see it until it is ready; summaries have none. */
export type Photo = { type: 'photo'; photo: string };

export type Block = Paragraph | List | Quote | Link | Photo;
export type Body = Block[];

/** The photos of a body, in its order. */
export function photoIds(body: Body): string[] {
  return body.flatMap((block) => (block.type === 'photo' ? [block.photo] : []));
}
