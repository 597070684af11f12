import type { Dated } from './apollo-descent.ts';
import { list, quote } from './content.ts';

/** 20 and 21 July 1969, from the wait for the hatch to the departure of Eagle. Times are in UTC. */
export const SURFACE: Dated[] = [
  {
    at: '1969-07-21T01:10:00Z',
    body: [
      'Getting dressed takes longer than the plan allowed. Two people in stiff suits, with packs on their backs, share a cabin in which one can barely turn round.',
    ],
  },
  {
    at: '1969-07-21T02:41:00Z',
    headline: 'The hatch is open',
    keyEvent: true,
    body: ['The cabin took its time to empty of air. At 02:39 UTC the hatch came free and swung inward.'],
  },
  {
    at: '1969-07-21T02:52:00Z',
    body: [
      'Armstrong is on the porch, on his knees, backing out. Aldrin talks him through the opening: a little to the left, now straight.',
    ],
  },
  {
    at: '1969-07-21T02:54:40Z',
    headline: 'There is a picture',
    photos: ['television'],
    video: {
      type: 'media',
      url: 'https://www.youtube.com/watch?v=S9HdPi9Ikhk',
      title: 'What the camera on Eagle saw',
      description:
        'The television pictures from the Moon, as NASA restored them. Three hours, with the voices of the crew and of Houston.',
    },
    urgency: 'important',
    body: [
      'Pulling a handle as he came down, Armstrong let a side panel fall open with a camera in it. The first picture was upside down. Then somebody turned it, and there was a ladder and a leg.',
    ],
  },
  {
    at: '1969-07-21T02:56:40Z',
    headline: 'A human being stands on the Moon',
    keyEvent: true,
    urgency: 'urgent',
    dateline: 'Houston',
    by: ['reporter', 'editor'],
    body: [
      'At 02:56 UTC on 21 July, Armstrong put his left boot on the surface.',
      quote("That's one small step for man, one giant leap for mankind.", 'Neil Armstrong'),
      'The surface is fine and powdery, he says. His boots sink in by a fraction of an inch, and the prints keep their edges.',
    ],
  },
  {
    at: '1969-07-21T03:05:00Z',
    body: [
      'The pictures reach the world through dishes in California and Australia. For the last few minutes they have come by way of Parkes in New South Wales, where a storm is blowing.',
    ],
    attribution: 'Tracking stations',
  },
  {
    at: '1969-07-21T03:09:00Z',
    body: [
      'First duty: a scoop of soil into a bag and the bag into a pocket on his leg. If they had to run now, they would not come home with nothing.',
    ],
  },
  {
    at: '1969-07-21T03:16:00Z',
    headline: 'Aldrin is down too',
    keyEvent: true,
    body: [
      'Nineteen minutes after Armstrong. He had taken care, he said, not to lock the hatch on the way out.',
      quote('Magnificent desolation.', 'Buzz Aldrin'),
    ],
  },
  {
    at: '1969-07-21T03:25:00Z',
    body: [
      'They have uncovered the plaque on the leg of Eagle and read it aloud. It says that men from the planet Earth came in peace for all mankind.',
    ],
  },
  {
    at: '1969-07-21T03:36:00Z',
    body: [
      'The camera now stands on a tripod some way off, so that the whole of Eagle is in view. Aldrin has hung up a sheet of foil on a pole. It catches what the sun throws out, and goes home with them.',
    ],
  },
  {
    at: '1969-07-21T03:43:00Z',
    body: [
      'The flag is up. The ground did not want it: a few inches down it is so hard that the pole would hardly go in.',
    ],
  },
  {
    at: '1969-07-21T03:52:00Z',
    headline: 'A call from Washington',
    body: [
      'President Nixon spoke to the two from the White House for about two minutes. They stood side by side in front of the camera to listen.',
    ],
  },
  {
    at: '1969-07-21T04:02:00Z',
    headline: 'How one walks there',
    body: [
      'Aldrin has been trying it out for the camera: a steady lope works, and so does a kangaroo hop. One has to plan two or three steps ahead to stop, and leans to turn, as a runner does.',
    ],
  },
  {
    at: '1969-07-21T04:40:00Z',
    headline: 'Two instruments stay behind',
    body: [
      'Out of a bay at the back of Eagle, the two have set up',
      list(
        'a seismometer, which already feels their footsteps',
        'a tray of a hundred prisms, which send a beam of laser light back to where it came from',
      ),
    ],
  },
  {
    at: '1969-07-21T04:50:00Z',
    body: [
      'Aldrin is hammering tubes into the ground for cores of soil. The first few inches are soft, then it is like striking stone.',
    ],
  },
  {
    at: '1969-07-21T05:12:30Z',
    photos: ['surface'],
    headline: 'Both are back inside',
    keyEvent: true,
    body: [
      'Aldrin went up at 05:01, Armstrong at 05:09, after the boxes of rock had been hauled in on a line like washing. The hatch was shut at 05:11 UTC. They were out for about two and a half hours.',
    ],
  },
  {
    at: '1969-07-21T05:40:00Z',
    by: ['editor'],
    body: [
      'To those joining us in the morning: two people have walked on the Moon and are safe in their craft. They are to sleep there, in the cold, and to leave early in the afternoon by the clocks of Houston.',
    ],
  },
  {
    at: '1969-07-21T07:45:00Z',
    body: [
      'Out go the packs, boots and rubbish: what stays is weight that need not be lifted. The seismometer felt each piece land.',
    ],
  },
  {
    at: '1969-07-21T16:05:00Z',
    headline: 'The other spacecraft',
    verification: 'unverified',
    attribution: 'Jodrell Bank observatory',
    body: [
      'Listeners at Jodrell Bank in England say that the Soviet probe Luna 15 stopped sending at about 15:50 UTC, in a way that looks like a crash, hundreds of miles from Eagle. Moscow has said nothing of its purpose.',
    ],
  },
  {
    at: '1969-07-21T17:30:00Z',
    body: [
      'Half an hour to go. There is one engine to lift them, it has no spare, and nobody has ever started one there. Ronald Evans in Houston has read up the last figures.',
    ],
  },
  {
    at: '1969-07-21T17:54:30Z',
    photos: ['ascent'],
    headline: 'They have left the Moon',
    keyEvent: true,
    urgency: 'important',
    body: [
      'The engine lit at 17:54 UTC. Aldrin saw the flag go over in the blast. They were on the surface for 21 hours and 36 minutes.',
    ],
  },
  {
    at: '1969-07-21T18:02:00Z',
    body: [
      'In orbit seven minutes after lift-off: 9 miles above the surface at the lowest, 47 at the highest. Columbia is ahead of them and above.',
    ],
  },
  {
    at: '1969-07-21T21:36:00Z',
    headline: 'Docked',
    keyEvent: true,
    body: [
      'The two craft were joined again at 21:35 UTC. For a few seconds they swung about each other more than anyone liked, then held still, and the latches closed.',
    ],
  },
  {
    at: '1969-07-21T23:43:00Z',
    headline: 'Goodbye to Eagle',
    by: ['reporter', 'contributor'],
    body: [
      'People, rocks and film have been moved across. Eagle was cut loose at 23:41 UTC and is left to circle the Moon. Three people and one craft go home from here. We end this page now; thank you for reading through two nights with us.',
    ],
  },
];
