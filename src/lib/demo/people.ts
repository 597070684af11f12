import { paragraph } from './writing.ts';

/** The demo's people. Invented, as is their paper. */
export const PEOPLE = {
  owner: { name: 'Marian Askew', email: 'owner@demo.example' },
  editor: { name: 'Tomas Idowu', email: 'editor@demo.example' },
  reporter: { name: 'Priya Landry', email: 'reporter@demo.example' },
  contributor: { name: 'Joel Hatch', email: 'contributor@demo.example' },
  moderator: { name: 'Ines Caldwell', email: 'moderator@demo.example' },
  reader: { name: 'Sam Whitlock', email: 'reader@demo.example' },
} as const;

export type DemoRole = keyof typeof PEOPLE;

/** For the demo only, on a folder that is thrown away: everybody's, so that it can be typed. */
export const DEMO_PASSWORD = 'stop-the-press';

export const SITE = {
  name: 'The Ostley Courier',
  tagline: 'News of the Wenn valley, as it comes in',
  language: 'en',
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
  {
    slug: 'roads',
    name: 'Roads and transport',
    description: 'What is open, what is closed, what runs late.',
  },
];
