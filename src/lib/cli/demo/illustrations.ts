/* Illustrations of the demo as SVG: flat shapes in ink and paper with one accent. They are drawn for this project and
   free of other rights. Every random number comes from a fixed seed, so all starts draw the same pictures. */

import {
  ACCENT,
  circle,
  drawing,
  INK,
  line,
  MIST,
  NIGHT,
  PAPER,
  randomFrom,
  rect,
  ripples,
  round,
  SAND,
  SLATE,
  STEEL,
  shape,
  stars,
  times,
  WATER,
} from './drawing.ts';
import { eagleInOrbit, eagleOnTheMoon, leavingTheMoon, moonOnTelevision } from './moon-illustrations.ts';
import { campBeds, quaySteps, riverGauge, townMap } from './town-illustrations.ts';

type Illustration = {
  /** Text content of an SVG document. */
  svg: string;
  alt: string;
  caption?: string;
  /** Colour that fills the photo's place until it is loaded. */
  colour: string;
};

function bridgeAtNight(): string {
  const random = randomFrom(7);
  const houses = times(11, (n) => {
    const [x, width, height] = [n * 112 - 20, 116, 90 + random() * 90];
    const top = 400 - height;
    const windows = times(4, (w) =>
      rect(
        x + 22 + (w % 2) * 48,
        top + 22 + Math.floor(w / 2) * 46,
        18,
        26,
        random() < 0.42 ? '#efdfae' : '#1d2024',
      ),
    );
    const roof = shape(`M${x - 4} ${round(top)} l${width / 2 + 4} -46 l${width / 2 + 4} 46 z`, INK);
    return [roof, rect(x, top, width, height + 20, '#1b1c1e'), ...windows].join('');
  });
  const arches = times(3, (n) => {
    const x = 160 + n * 320;
    return shape(`M${x} 620 V560 A120 120 0 0 1 ${x + 240} 560 V620 Z`, '#232b31');
  });
  const lights = [110, 380, 640, 900, 1110].map((x, n) => {
    const colour = n === 1 ? '#d8353a' : '#efdfae';
    const reflection = times(9, (k) =>
      rect(x - 20 + random() * 14, 640 + k * 17, 30 - k * 2, 4, colour, `opacity="${0.75 - k * 0.07}"`),
    );
    return [line(`M${x} 410 V340`, INK, 6), circle(x, 334, n === 1 ? 13 : 9, colour), ...reflection].join('');
  });
  return drawing(
    NIGHT,
    stars(3, 220, 60),
    circle(980, 120, 46, '#e9e3d2'),
    circle(962, 108, 42, NIGHT),
    houses,
    rect(0, 590, 1200, 210, WATER),
    rect(0, 404, 1200, 220, STEEL),
    rect(0, 396, 1200, 16, SAND),
    rect(0, 428, 1200, 5, SLATE),
    arches,
    rect(0, 610, 1200, 190, WATER),
    ripples(11, 618, 795, 70, '#66737a'),
    lights,
  );
}

function closedLane(): string {
  const stripes = times(9, (n) => shape(`M${330 + n * 64} 520 h32 l-24 56 h-32 z`, ACCENT));
  const trees = [90, 210, 1000, 1120].flatMap((x, n) => [
    rect(x - 6, 250, 12, 150, INK),
    ...times(7, (k) =>
      line(`M${x} ${260 + k * 16} l${(k % 2 ? 1 : -1) * (64 - k * 5)} ${-56 + k * 2 - n * 3}`, INK, 5),
    ),
  ]);
  return drawing(
    '#cfccc0',
    shape('M0 330 Q260 230 560 310 T1200 260 V480 H0 Z', MIST),
    shape('M0 390 Q320 320 640 385 T1200 350 V520 H0 Z', '#858a80'),
    trees,
    shape('M0 420 Q200 380 420 424 L560 424 L470 800 H0 Z', '#4c5148'),
    shape('M1200 400 Q980 380 780 424 L640 424 L760 800 H1200 Z', '#4c5148'),
    shape('M556 424 H644 L1010 800 H190 Z', '#77766f'),
    shape('M0 470 Q300 452 600 462 T1200 468 V800 H0 Z', '#9aa4a6'),
    ripples(5, 478, 795, 80, '#dfe1dc'),
    ripples(6, 478, 795, 40, '#7c888b'),
    [345, 855].map((x) => line(`M${x} 500 V690 M${x - 40} 700 L${x} 620 L${x + 40} 700`, INK, 12)),
    rect(300, 520, 600, 56, PAPER),
    stripes,
    rect(300, 520, 600, 56, 'none', `stroke="${INK}" stroke-width="6"`),
    line('M600 576 V600', INK, 8),
    circle(600, 652, 58, INK),
    circle(600, 652, 54, ACCENT),
    circle(600, 652, 36, PAPER),
  );
}

function sandbags(): string {
  const random = randomFrom(21);
  const rows = times(5, (row) =>
    times(8 - row, (n) => {
      const [x, y] = [120 + row * 62 + n * 124 + random() * 8, 660 - row * 62];
      const bag = `M${round(x)} ${y + 34} q-4 -34 30 -36 q34 -8 66 0 q32 4 28 36 q-2 32 -34 32 q-28 6 -58 0 q-32 0 -32 -32 z`;
      return shape(bag, random() < 0.5 ? SAND : '#c5bca7', `stroke="${INK}" stroke-width="5"`);
    }).join(''),
  );
  const panels = times(3, (n) => rect(170 + n * 310, 190, 250, 480, ACCENT));
  const slats = times(3, (n) =>
    times(6, (k) => rect(170 + n * 310, 262 + k * 70, 250, 5, '#86100f')).join(''),
  );
  const glass = times(3, (n) =>
    times(3, (k) => rect(192 + n * 310 + k * 72, 206, 58, 44, '#efdfae')).join(''),
  );
  return drawing(
    '#b9b3a4',
    times(14, (n) => rect(0, n * 52, 1200, 3, '#a59f90')),
    times(3, (n) => rect(152 + n * 310, 168, 286, 502, INK)),
    panels,
    slats,
    glass,
    rect(0, 668, 1200, 132, SLATE),
    ripples(9, 680, 795, 26, '#7b8487'),
    rows,
    line('M1090 706 L1020 470', '#7d5a38', 14),
    shape('M1060 690 l70 -20 l22 92 q-46 26 -66 14 z', INK),
  );
}

function carriedBoat(): string {
  const people = times(8, (n) => {
    const x = 190 + n * 112;
    const step = n % 2 ? 26 : -26;
    return [
      circle(x, 428, 25, INK),
      shape(`M${x - 27} 440 h54 l-6 146 h-42 z`, n === 2 ? ACCENT : INK),
      line(`M${x - 20} 474 L${x - 30} 390 M${x + 20} 474 L${x + 30} 390`, n === 2 ? ACCENT : INK, 14),
      line(`M${x - 8} 580 L${x + step} 690 M${x + 8} 580 L${x - step} 690`, INK, 18),
    ].join('');
  });
  return drawing(
    '#d8d3c4',
    circle(930, 190, 74, PAPER),
    shape('M0 360 Q240 290 520 346 T1200 310 V600 H0 Z', '#b4b5a9'),
    rect(0, 470, 1200, 330, '#8f9a9c'),
    ripples(15, 476, 640, 60, '#c9cfcc'),
    shape('M0 660 Q600 632 1200 668 V800 H0 Z', '#4c5148'),
    people,
    shape('M40 372 Q600 308 1160 372 Q600 408 40 372 Z', PAPER, `stroke="${INK}" stroke-width="7"`),
    line('M64 372 Q600 360 1136 372', INK, 4),
  );
}

function libraryHall(): string {
  const random = randomFrom(61);
  const spines = ['#86100f', NIGHT, '#7d5a38', SLATE, SAND, '#4c5148'];
  const shelves = [0, 1, 2, 3].flatMap((row) => {
    const bottom = 190 + row * 104;
    const books = times(44, (n) => {
      const height = 58 + random() * 26;
      const colour = spines[Math.floor(random() * spines.length)] ?? SAND;
      return random() < 0.12 ? '' : rect(44 + n * 25.4, bottom - height, 19 + random() * 5, height, colour);
    });
    return [rect(30, bottom, 1140, 10, '#3d2c1c'), ...books];
  });
  const people = times(13, (n) => {
    const [x, y] = [20 + n * 96 + random() * 30, 640 + (n % 3) * 34];
    return [
      circle(x, y - 74, 36, n === 4 ? ACCENT : INK),
      shape(`M${round(x - 66)} 800 V${round(y)} q0 -46 66 -46 q66 0 66 46 V800 Z`, n % 4 === 1 ? NIGHT : INK),
    ].join('');
  });
  const lamps = [260, 600, 940].map(
    (x) =>
      line(`M${x} 0 V70`, INK, 5) +
      shape(`M${x - 54} 96 q54 -60 108 0 z`, '#2f5d46') +
      circle(x, 100, 15, '#efdfae'),
  );
  return drawing(
    '#8a6a48',
    rect(30, 84, 1140, 430, '#5a4129'),
    shelves,
    rect(0, 514, 1200, 286, '#a5876190'),
    lamps,
    people,
  );
}

function millFire(): string {
  const random = randomFrom(71);
  const smoke = times(26, (n) => {
    const rise = n / 26;
    const shade = ['#4a4d4f', '#5b5e60', '#6d6f70'][n % 3] ?? SLATE;
    return circle(640 + rise * 420 + random() * 80, 250 - rise * 240 + random() * 60, 40 + rise * 70, shade);
  });
  const flames = times(9, (n) => {
    const x = 420 + n * 46;
    const height = 70 + random() * 90;
    return shape(
      `M${x - 34} 330 Q${x - 30} ${round(290 - height / 2)} ${x} ${round(300 - height)} Q${x + 34} ${round(280 - height / 2)} ${x + 34} 330 Z`,
      n % 2 ? '#e0a13a' : '#d8652a',
    );
  });
  const windows = times(12, (n) =>
    rect(430 + (n % 4) * 96, 380 + Math.floor(n / 4) * 84, 44, 54, n < 4 ? '#e0a13a' : '#1d2024'),
  );
  const arc = (from: number) => line(`M${from} 640 Q${from + 120} 300 520 310`, '#c9d3d6', 7);
  return drawing(
    '#2b2a33',
    stars(73, 260, 70),
    smoke,
    shape('M0 560 Q300 500 620 560 T1200 540 V800 H0 Z', '#23211f'),
    flames,
    rect(390, 330, 430, 310, '#5d3a30'),
    times(8, (n) => rect(390, 362 + n * 38, 430, 3, '#4c2f27')),
    windows,
    circle(880, 560, 92, '#3a2c22'),
    times(8, (n) =>
      line(
        `M880 560 L${round(880 + 92 * Math.cos((n * Math.PI) / 4))} ${round(560 + 92 * Math.sin((n * Math.PI) / 4))}`,
        '#6b5340',
        8,
      ),
    ),
    rect(0, 640, 1200, 160, '#15181b'),
    ripples(75, 650, 795, 46, '#7a4a2a'),
    arc(150),
    arc(236),
    rect(60, 560, 240, 78, ACCENT),
    rect(236, 576, 52, 34, '#c9d3d6'),
    circle(116, 642, 24, INK),
    circle(244, 642, 24, INK),
    rect(92, 546, 34, 14, '#3f6fb0'),
  );
}

export type IllustrationName =
  | 'bridge'
  | 'lane'
  | 'sandbags'
  | 'gauge'
  | 'steps'
  | 'boat'
  | 'town'
  | 'beds'
  | 'library'
  | 'mill'
  | 'orbit'
  | 'television'
  | 'surface'
  | 'ascent';

/** All illustrations, with their texts. */
export const ILLUSTRATIONS: Record<IllustrationName, () => Illustration> = {
  bridge: () => ({
    svg: bridgeAtNight(),
    alt: 'Drawing: the stone bridge at Ostley at night, with the river high in its arches and a red light.',
    caption: 'The bridge at Ostley, with a traffic light for lorries.',
    colour: '#343b41',
  }),
  lane: () => ({
    svg: closedLane(),
    alt: 'Drawing: a barrier with the sign for a closed road stands in the water on Mill Lane.',
    colour: '#a7adaa',
  }),
  sandbags: () => ({
    svg: sandbags(),
    alt: 'Drawing: a wall of sandbags in front of the red gates of the fire station.',
    colour: '#a39b8c',
  }),
  gauge: () => ({
    svg: riverGauge(),
    alt: 'Drawing: a white board with black and red marks on the stone wall of the quay. The water stands below the red marks.',
    caption: 'The gauge at Ferry Steps. Red is above the flood mark.',
    colour: '#77766f',
  }),
  steps: () => ({
    svg: quaySteps(),
    alt: 'Drawing: stone steps lead down from the quay into the river, which has covered the lower ones. A red rope hangs from a bollard.',
    caption: 'The river covers the lower steps of the quay.',
    colour: '#7f867f',
  }),
  boat: () => ({
    svg: carriedBoat(),
    alt: 'Drawing: eight people carry a rowing boat over their heads along the bank of the flooded river.',
    colour: '#a9ada4',
  }),
  town: () => ({
    svg: townMap(),
    alt: 'Drawing: a map of Ostley with the river, the bridge, and the closed towpath and Mill Lane in red.',
    caption: 'Red is closed. The mark is the fire station.',
    colour: '#d9d3c3',
  }),
  beds: () => ({
    svg: campBeds(),
    alt: 'Drawing: rows of camp beds in a school. Two people carry a pot of soup, and a dog watches.',
    colour: '#b99a6c',
  }),
  library: () => ({
    svg: libraryHall(),
    alt: 'Drawing: people stand shoulder to shoulder in front of four long shelves of books, under three green lamps.',
    caption: 'The council met in the reading room, because the chamber was too small.',
    colour: '#6b4f33',
  }),
  mill: () => ({
    svg: millFire(),
    alt: 'Drawing: flames and smoke rise from the roof of a brick mill at night. A fire engine sends two jets of water over it.',
    colour: '#3b3233',
  }),
  orbit: () => ({
    svg: eagleInOrbit(),
    alt: 'Drawing: the lunar module flies above the craters of the Moon. The Earth stands half lit in the black sky.',
    colour: '#1d1a17',
  }),
  television: () => ({
    svg: moonOnTelevision(),
    alt: 'Drawing of a television picture: a figure in a white suit stands at the foot of a ladder on grey ground.',
    colour: '#6a6c69',
  }),
  surface: () => ({
    svg: eagleOnTheMoon(),
    alt: 'Drawing: the lunar module stands on the Moon beside a flag. Footprints lead from its ladder.',
    caption: 'Eagle on the Sea of Tranquility.',
    colour: '#4a4742',
  }),
  ascent: () => ({
    svg: leavingTheMoon(),
    alt: 'Drawing: the upper half of the lunar module rises from the Moon on a bright flame, and the flag beside it falls over.',
    colour: '#3a3733',
  }),
};
