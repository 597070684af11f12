import { type BackendClient, runCommand } from '../../data/result.ts';
import { personClient, serviceClient } from '../../data/service-client.ts';
import {
  type Body,
  type Link,
  type List,
  type Media,
  type Paragraph,
  type Place,
  type Post,
  plainRows,
  type Quote,
  type Table,
} from '../../domain/body/blocks.ts';
import { machineTime } from '../../domain/time.ts';
import type { IllustrationName } from './illustrations.ts';

/** An update of the demo. A string is a paragraph. */
export type Writing = {
  headline?: string;
  body: (string | Body[number])[];
  keyEvent?: boolean;
  urgency?: 'important' | 'urgent';
  verification?: 'unverified' | 'developing';
  attribution?: string;
  dateline?: string;
  by?: Author[];
  /** Stand below the body. */
  photos?: IllustrationName[];
  /** Stands below the photos. The last of them is its poster. */
  video?: Media;
};

/** The people of the demo who write updates. */
type Author = 'editor' | 'reporter' | 'contributor';

export const paragraph = (text: string): Paragraph => ({ type: 'paragraph', runs: [{ text }] });
export const quote = (text: string, attribution: string): Quote => ({ type: 'quote', text, attribution });
export const list = (...items: string[]): List => ({ type: 'list', items: items.map((text) => [{ text }]) });
export const link = (url: string, title: string, description: string): Link => ({
  type: 'link',
  url,
  title,
  description,
  site: new URL(url).hostname,
});
export const map = (name: string, latitude: number, longitude: number): Place => ({
  type: 'map',
  name,
  latitude,
  longitude,
  zoom: 15,
});
type TableContent = Pick<Table, 'preset' | 'align' | 'caption' | 'source'>;

/** The first row names the columns. */
export const table = (content: TableContent, ...rows: string[][]): Table => ({
  type: 'table',
  ...content,
  rows: plainRows(rows),
});

/** A post that was quoted this many minutes before the demo began. */
export const post = (minutesAgo: number, content: Omit<Post, 'type' | 'posted_at' | 'quoted_at'>): Post => ({
  type: 'post',
  ...content,
  posted_at: machineTime(new Date(Date.now() - (minutesAgo + MINUTES_BEFORE_QUOTE) * 60_000)),
  quoted_at: machineTime(new Date(Date.now() - minutesAgo * 60_000)),
});

const MINUTES_BEFORE_QUOTE = 12;

/** The ids of the photos of a coverage by name. */
export type PhotoIds = Partial<Record<IllustrationName, string>>;

/** A coverage to which updates are added while the demo runs. */
export type LiveCoverage = { id: string; photos: PhotoIds };

/**
 * The content of an update in the form that the database functions take.
 * @param ids of the people in bylines
 * @param photos of the coverage
 * @param at when it is published, which is the time of the data of its tables
 */
export function contentOf(writing: Writing, ids: Record<Author, string>, photos: PhotoIds = {}, at?: string) {
  const { headline, body, keyEvent = false, urgency = 'normal', verification = 'confirmed' } = writing;
  const { attribution, dateline, by = ['reporter'] } = writing;
  return {
    ...(headline && { headline }),
    ...(attribution && { attribution }),
    ...(dateline && { dateline }),
    body: [
      ...body.map((block) => {
        if (typeof block === 'string') return paragraph(block);
        return block.type === 'table' && at ? { ...block, as_of: machineTime(at) } : block;
      }),
      ...(writing.photos ?? []).flatMap((name) => {
        const photo = photos[name];
        return photo ? [{ type: 'photo' as const, photo }] : [];
      }),
      ...(writing.video ? [writing.video] : []),
    ],
    key_event: keyEvent,
    urgency,
    verification,
    bylines: by.map((author) => ids[author]),
  };
}

/** The people of the demo. They and their newspaper are invented. */
export const PEOPLE = {
  owner: { name: 'Marian Askew', email: 'owner@demo.example' },
  editor: { name: 'Tomas Idowu', email: 'editor@demo.example' },
  reporter: { name: 'Priya Landry', email: 'reporter@demo.example' },
  contributor: { name: 'Joel Hatch', email: 'contributor@demo.example' },
  moderator: { name: 'Ines Caldwell', email: 'moderator@demo.example' },
  reader: { name: 'Sam Whitlock', email: 'reader@demo.example' },
} as const;

type DemoRole = keyof typeof PEOPLE;

/** Password of all accounts. It is short because the demo's data is temporary. */
export const DEMO_PASSWORD = 'stop-the-press';

export const SITE = {
  name: 'The Ostley Courier',
  tagline: 'News of the Wenn valley, as it comes in',
  language: 'en',
  time_zone: 'Europe/London',
  publisher: 'The Ostley Courier (a demonstration)',
  contact: 'newsdesk@demo.example',
  about: [
    paragraph(
      'The Courier has been printed in Ostley since there was a bridge to carry it over. Five of us write it.',
    ),
    paragraph('When the river or the weather makes the news, it is here first, as it comes in.'),
  ],
};

export const TOPICS = [
  { slug: 'space', name: 'Space', description: 'Flights, landings and what they find.' },
  { slug: 'weather', name: 'Weather', description: 'Storms, floods, snow and heat in the valley.' },
  { slug: 'council', name: 'Town council', description: 'Meetings, votes and money.' },
  {
    slug: 'roads',
    name: 'Roads and transport',
    description: 'What is open, what is closed, what runs late.',
  },
];

export type Staff = {
  /** Client with the secret key. */
  service: BackendClient;
  /** A signed-in client for each role. */
  clients: Record<DemoRole, BackendClient>;
  ids: Record<DemoRole, string>;
};

type BackendKeys = { url: string; publishableKey: string; secretKey: string };

/** Creates the accounts of the demo, sets their roles, and signs them in. */
export async function createStaff({ url, publishableKey, secretKey }: BackendKeys): Promise<Staff> {
  const service = serviceClient(url, secretKey);
  const clients = {} as Staff['clients'];
  const ids = {} as Staff['ids'];
  for (const role of Object.keys(PEOPLE) as DemoRole[]) {
    const { name, email } = PEOPLE[role];
    const made = await service.auth.admin.createUser({
      email,
      password: DEMO_PASSWORD,
      // The addresses are invented and cannot be confirmed.
      email_confirm: true,
      user_metadata: { display_name: name },
    });
    if (made.error) throw made.error;
    const { id } = made.data.user;
    await runCommand(service, 'set_role', { person_id: id, role });
    const client = personClient(url, publishableKey);
    const { error } = await client.auth.signInWithPassword({ email, password: DEMO_PASSWORD });
    if (error) throw error;
    clients[role] = client;
    ids[role] = id;
  }
  return { service, clients, ids };
}
