import { type BackendClient, runCommand } from '../../data/result.ts';
import { personClient, serviceClient } from '../../data/service-client.ts';
import { paragraph } from './content.ts';

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
