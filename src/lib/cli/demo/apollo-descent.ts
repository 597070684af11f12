import { link, list, quote, type Writing } from './content.ts';

/** 20 July 1969, from undocking to the decision to walk early. Times are in UTC. */
export const DESCENT: Dated[] = [
  {
    at: '1969-07-20T16:40:00Z',
    headline: 'Landing day',
    dateline: 'Houston',
    by: ['editor'],
    body: [
      'What left the Earth as one spacecraft is about to become two. Neil Armstrong and Buzz Aldrin are in the lunar module Eagle, Michael Collins is in the command module Columbia, and for a little while yet they circle the Moon together.',
      'What has to happen today, in this order:',
      list(
        'the two craft come apart behind the Moon',
        'Eagle lowers its orbit with a short burn',
        'about an hour after that, the long braking burn to the surface',
        'a landing on the Sea of Tranquility, or a climb back to Columbia',
      ),
    ],
  },
  {
    at: '1969-07-20T17:05:00Z',
    body: [
      'Aldrin and Armstrong have been checking Eagle over for hours. Its legs are out, its batteries carry the load, and its guidance platform is lined up with that of Columbia.',
    ],
    dateline: 'Houston',
  },
  {
    at: '1969-07-20T17:50:00Z',
    photos: ['orbit'],
    headline: 'Eagle flies on its own',
    keyEvent: true,
    body: [
      'The two craft parted at 17:44 UTC, out of reach of any radio on Earth. Houston learned of it when they came round the edge of the Moon.',
      quote('The Eagle has wings.', 'Neil Armstrong'),
    ],
  },
  {
    at: '1969-07-20T17:58:00Z',
    body: [
      'Eagle turns slowly in front of the windows of Columbia while Collins looks it over. He wants to see four legs, all down and locked. He sees four.',
    ],
  },
  {
    at: '1969-07-20T18:14:00Z',
    body: [
      'Collins has fired his small thrusters to draw away. The gap between the craft will be about two miles by the time Eagle starts down, far enough that neither has to think about the other.',
    ],
  },
  {
    at: '1969-07-20T18:40:00Z',
    headline: 'Who is talking to them',
    by: ['editor'],
    body: [
      'One voice speaks to the crew at a time. For the descent it is Charles Duke, himself an astronaut. Behind him the flight director is Gene Kranz, who asks each console in the room whether to go on or to stop.',
      link(
        'https://www.nasa.gov/mission/apollo-11/',
        'Apollo 11',
        'The mission, from the agency that flies it.',
      ),
    ],
  },
  {
    at: '1969-07-20T19:02:00Z',
    body: [
      'Both craft are behind the Moon again. On that side, with nobody listening, Eagle is to fire its descent engine for about half a minute. If it does, its low point drops to some 50,000 feet.',
    ],
    verification: 'developing',
  },
  {
    at: '1969-07-20T19:09:00Z',
    body: [
      'The clock says that the burn is over. There is no news, and there can be none for another 40 minutes.',
    ],
    verification: 'unverified',
  },
  {
    at: '1969-07-20T19:48:00Z',
    headline: 'The lowering burn was good',
    keyEvent: true,
    body: [
      'Columbia came round first. Asked how it had gone, Collins answered in one breath.',
      quote("Everything's going just swimmingly. Beautiful.", 'Michael Collins'),
      'Eagle is on a path that nearly touches the Moon.',
    ],
  },
  {
    at: '1969-07-20T19:55:00Z',
    body: [
      'The line to Eagle is poor. It drops, comes back, drops again. Controllers read their screens in the gaps, and Duke has asked Aldrin to swing the antenna.',
    ],
  },
  {
    at: '1969-07-20T20:00:00Z',
    headline: 'Go for powered descent',
    keyEvent: true,
    urgency: 'important',
    body: [
      'Every console has said go. Eagle could not hear it, so Duke told Collins, and Collins told Eagle.',
    ],
  },
  {
    at: '1969-07-20T20:05:20Z',
    headline: 'The engine is lit',
    keyEvent: true,
    body: [
      'Ignition at 20:05. From here it takes about twelve minutes to the ground. Eagle flies feet first and face down so that its crew can time the landmarks going by.',
    ],
  },
  {
    at: '1969-07-20T20:08:00Z',
    body: [
      'Armstrong reports that the landmarks come up a couple of seconds early. That puts them downrange of where the map says: they will land long.',
    ],
  },
  {
    at: '1969-07-20T20:10:40Z',
    headline: 'An alarm in the computer',
    urgency: 'important',
    verification: 'developing',
    body: [
      'The guidance computer has shown a program alarm, number 1202. Armstrong asked for a reading on it. The answer from Houston came in seconds: go on.',
    ],
  },
  {
    at: '1969-07-20T20:11:45Z',
    body: [
      'The engine has throttled down at the moment that the computer said it would, to the relief of the crew. The radar sees the ground, and what it sees agrees with the computer.',
    ],
  },
  {
    at: '1969-07-20T20:13:00Z',
    by: ['reporter', 'contributor'],
    body: [
      'On the alarm: it means that the computer has more to do than time to do it in. It drops the least important work and begins again. As long as it comes back each time, the guidance officers are content to fly on.',
    ],
    attribution: 'Flight controllers',
  },
  {
    at: '1969-07-20T20:14:25Z',
    headline: 'Go for landing',
    keyEvent: true,
    body: ['Three thousand feet. Another alarm, 1201, of the same kind as the first. Again: go.'],
  },
  {
    at: '1969-07-20T20:15:40Z',
    body: [
      'Armstrong has taken over the steering. The automatic path led into a crater with boulders around it, some as large as cars, and he is flying across it almost level to look for better ground.',
    ],
  },
  {
    at: '1969-07-20T20:16:40Z',
    urgency: 'important',
    body: [
      'Sixty seconds of fuel before they must give up. Nobody in Houston speaks who does not have to. Dust is moving below them.',
    ],
  },
  {
    at: '1969-07-20T20:17:08Z',
    body: ['Thirty seconds.'],
  },
  {
    at: '1969-07-20T20:18:05Z',
    headline: 'The Eagle has landed',
    keyEvent: true,
    urgency: 'urgent',
    dateline: 'Houston',
    by: ['reporter', 'editor'],
    body: [
      'Two people are on the Moon. Eagle touched down on the Sea of Tranquility at 20:16 UTC on 20 July 1969.',
      quote('Houston, Tranquility Base here. The Eagle has landed.', 'Neil Armstrong'),
      'Duke told them that a room full of people had been about to turn blue and was breathing again.',
    ],
  },
  {
    at: '1969-07-20T20:20:00Z',
    body: [
      'Eagle may stay, for now. The first of several decisions was made within two minutes of landing: had anything leaked or tipped, they would have left at once.',
    ],
  },
  {
    at: '1969-07-20T20:24:00Z',
    body: [
      'Overhead, Collins has heard it all. He is to look for Eagle through his sextant on each pass. There is a lot of Moon under it and nobody can tell him where to point.',
    ],
  },
  {
    at: '1969-07-20T20:32:00Z',
    headline: 'Landing site fixed to within a mile',
    body: ['Eagle stands within a mile of the point that was aimed for, by a first reckoning.'],
    verification: 'unverified',
  },
  {
    at: '1969-07-20T20:45:00Z',
    headline: 'What they see',
    body: [
      'From the windows: a level plain with many small craters, ridges of 20 or 30 feet, and angular blocks a foot or two across. There is a hill in view that may be half a mile away or a mile. The colour depends on the angle to the sun, from chalk to ash.',
    ],
    attribution: 'Armstrong and Aldrin, by radio',
  },
  {
    at: '1969-07-20T21:20:00Z',
    body: [
      'The crew go through a rehearsal of lift-off, as if they had to leave on the next pass of Columbia. They do not have to. It is how they make sure that they can.',
    ],
  },
  {
    at: '1969-07-20T22:13:00Z',
    headline: 'They want to go out early',
    keyEvent: true,
    body: [
      'The plan said rest first. Armstrong has proposed to skip it and to walk at about eight in the evening, Houston time. Houston agreed without much discussion.',
    ],
  },
  {
    at: '1969-07-20T22:58:00Z',
    headline: 'A moment of quiet',
    body: [
      'Aldrin asked everyone listening, wherever they might be, to pause, to think about the last few hours, and to give thanks in their own way.',
    ],
  },
];

/** An update with its publication time in UTC. */
export type Dated = Writing & { at: string };

export const APOLLO = {
  slug: 'apollo-11-landing',
  kicker: 'Apollo 11',
  headline: 'Two people land on the Moon, walk on it and leave again',
  standfirst:
    'From our files: 20 and 21 July 1969 as we told it at the time, update by update, with the corrections we made.',
  time_zone: 'America/Chicago',
  language: 'en',
  topics: ['space'],
};

export const APOLLO_SUMMARY = [
  'Eagle landed on the Sea of Tranquility on 20 July 1969 at 20:17 UTC, with less than a minute of fuel to spare.',
  'Neil Armstrong stepped out at 02:56 UTC on 21 July and Buzz Aldrin 19 minutes later. They were outside for about two and a half hours.',
  'They left after 21 hours and 36 minutes and joined Michael Collins in Columbia, who had circled the Moon alone.',
];

/** Later changes of updates. Each update is identified by its publication time. */
export const APOLLO_CHANGES = {
  pinned: '1969-07-21T02:56:40Z',
  corrected: {
    at: '1969-07-20T20:18:05Z',
    wrong: '20:16 UTC',
    right: '20:17 UTC',
    note: 'We first gave the time of touchdown as 20:16 UTC. It was 20:17 UTC.',
  },
  clarified: {
    at: '1969-07-21T18:02:00Z',
    wrong: '9 miles above the surface at the lowest, 47 at the highest',
    right: '9 nautical miles above the surface at the lowest, 47 at the highest',
    note: 'Flight controllers count in nautical miles, of 1.85 km. We had not said so.',
  },
  withdrawn: {
    at: '1969-07-20T20:32:00Z',
    reason:
      'This gave a position that nobody in Houston has confirmed. Where exactly Eagle stands is not known yet.',
  },
};
