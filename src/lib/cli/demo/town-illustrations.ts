import {
  ACCENT,
  circle,
  drawing,
  INK,
  line,
  NIGHT,
  PAPER,
  randomFrom,
  rect,
  ripples,
  SAND,
  SLATE,
  STEEL,
  shape,
  times,
  WATER,
} from './drawing.ts';

const RIVER = 'M-40 250 C180 230 300 330 430 400 S700 520 860 470 S1090 330 1240 350';
const BANKS = ['M-40 120 C200 110 330 200 470 250 S760 360 1240 170', 'M-40 470 C150 480 300 560 470 600'];
const ROADS = [
  ...BANKS,
  'M470 600 S820 690 1240 620',
  'M620 -20 C600 160 560 300 545 450 S500 700 520 820',
  'M200 -20 C215 60 212 110 208 150',
  'M900 -20 C910 120 960 240 960 262',
  'M820 640 C880 700 900 760 905 820',
];
const LANES = [
  'M60 480 L40 640 L300 660',
  'M300 545 L330 700',
  'M700 320 L740 200 L860 170',
  'M380 60 L400 215',
  'M650 640 L690 760',
];

/** A map of the town: the river, its streets, the closed ones in red, and a mark at the fire station. */
export function townMap(): string {
  const random = randomFrom(83);
  const blocks = times(120, (n) => {
    const [x, y] = [(n % 15) * 84 + random() * 30, Math.floor(n / 15) * 104 + random() * 40];
    return rect(x, y, 18 + random() * 26, 16 + random() * 20, '#d5cdbb');
  });
  return drawing(
    '#efe9dc',
    shape('M0 640 Q240 600 470 690 T1200 690 V800 H0 Z', '#d8dcc4'),
    shape('M640 40 h210 v110 h-210 z', '#cfd8bd'),
    blocks,
    line(RIVER, '#8fa9b5', 104),
    line(RIVER, '#a8bfc9', 84),
    [...LANES, ...ROADS].map((road) => line(road, STEEL, 20)),
    LANES.map((lane) => line(lane, PAPER, 13)),
    ROADS.map((road) => line(road, PAPER, 16)),
    // The towpath and Mill Lane are closed.
    line('M-40 330 C160 320 270 400 400 470 S560 540 640 556', ACCENT, 6),
    line('M300 545 L330 700', ACCENT, 9),
    circle(318, 620, 22, ACCENT),
    rect(304, 614, 28, 12, PAPER),
    // The bridge.
    line('M552 372 L538 520', INK, 26),
    line('M552 372 L538 520', PAPER, 18),
    shape('M760 262 c-44 -54 -44 -98 0 -98 s44 44 0 98 z', ACCENT, `stroke="${PAPER}" stroke-width="5"`),
    circle(760, 206, 14, PAPER),
    shape('M1120 724 l22 -74 l22 74 l-22 -16 z', INK),
  );
}

/** Camp beds in the school at night. */
export function campBeds(): string {
  const windows = times(5, (n) => {
    const x = 90 + n * 214;
    return [
      rect(x, 70, 164, 250, NIGHT, `stroke="${SAND}" stroke-width="12"`),
      rect(x + 77, 76, 10, 238, SAND),
      rect(x + 6, 186, 152, 8, SAND),
      times(5, (k) => line(`M${x + 20 + k * 30} ${96 + (k % 3) * 50} l-8 34`, SLATE, 4)).join(''),
    ].join('');
  });
  const blankets = [ACCENT, '#3d5a6b', '#7d5a38', '#4c5148'];
  const beds = [0, 1, 2].flatMap((row) =>
    times(5 - (row % 2), (n) => {
      const scale = 0.74 + row * 0.22;
      const [x, y] = [40 + n * 250 * scale + (row % 2) * 110, 420 + row * 112];
      const [width, height] = [190 * scale, 40 * scale];
      return [
        line(
          `M${x + 12} ${y + height} v${26 * scale} M${x + width - 12} ${y + height} v${26 * scale}`,
          INK,
          6,
        ),
        rect(x, y + height * 0.5, width, height * 0.5, '#6d675c', 'rx="4"'),
        rect(x + width * 0.22, y, width * 0.78, height * 0.7, blankets[(n + row) % 4] ?? SLATE, 'rx="8"'),
        rect(x, y + 2, width * 0.26, height * 0.5, PAPER, 'rx="10"'),
      ].join('');
    }),
  );
  const person = (x: number, y: number, coat: string) =>
    circle(x, y - 116, 24, INK) +
    shape(`M${x - 34} ${y} v-66 q2 -30 34 -30 q32 0 34 30 v66 z`, coat) +
    line(`M${x - 14} ${y} v56 M${x + 14} ${y} v56`, INK, 16);
  return drawing(
    '#d9c9a8',
    rect(0, 330, 1200, 66, '#b59a6a'),
    windows,
    rect(0, 392, 1200, 408, '#c49a63'),
    times(9, (n) => line(`M${-200 + n * 200} 800 L${200 + n * 100} 396`, '#b08750', 4)),
    beds.slice(0, 9),
    // Two helpers carry soup, and a dog waits.
    person(930, 640, NIGHT),
    person(1040, 660, ACCENT),
    line('M962 578 L1010 594', INK, 10),
    shape('M968 566 h44 l-8 40 h-28 z', STEEL, `stroke="${INK}" stroke-width="5"`),
    line('M978 548 q8 -16 0 -30 M1000 548 q8 -16 0 -30', PAPER, 5),
    beds.slice(9),
    shape('M1130 800 q-14 -96 26 -112 q44 4 40 112 z', '#4a3a2a'),
    line('M1190 780 q34 -10 20 -46', '#4a3a2a', 12),
    circle(1136, 676, 27, '#4a3a2a'),
    rect(1092, 676, 40, 22, '#4a3a2a', 'rx="10"'),
    circle(1095, 683, 6, INK),
    shape('M1142 656 q26 -2 20 40 q-16 4 -22 -16 z', INK),
  );
}

/** The board on the quay wall that shows the height of the river. */
export function riverGauge(): string {
  const random = randomFrom(17);
  const stones = times(8, (row) =>
    times(9, (n) => {
      const [x, width] = [n * 150 - (row % 2) * 75 - 20, 142];
      return rect(x, row * 76, width, 70, random() < 0.5 ? '#9d988b' : '#8f8a7d', 'rx="10"');
    }).join(''),
  );
  const marks = times(13, (n) => rect(520, 58 + n * 42, n % 5 ? 84 : 160, 20, n < 3 ? ACCENT : INK));
  return drawing(
    '#77736a',
    stones,
    rect(508, 30, 184, 620, PAPER, `stroke="${INK}" stroke-width="8"`),
    marks,
    times(2, (n) => circle(600, 46 + n * 560, 7, SLATE)),
    rect(0, 500, 1200, 300, WATER),
    rect(508, 500, 184, 170, '#6f7c81'),
    times(4, (n) => rect(520, 520 + n * 40, 84 + (n % 2) * 50, 16, '#4a565c')),
    ripples(31, 508, 795, 90, '#66737a'),
    ripples(32, 505, 640, 26, '#8f9a9c'),
    line('M140 120 V470', INK, 10),
    times(8, (n) => line(`M110 ${140 + n * 44} H170`, INK, 10)),
  );
}

/** The steps of the quay, of which the river has covered the lower ones. */
export function quaySteps(): string {
  const steps = times(8, (n) => {
    const [x, y] = [640 - n * 92, 250 + n * 62];
    return [rect(x, y, 1200 - x, 800 - y, n % 2 ? '#9b9689' : '#aaa597'), rect(x, y, 1200 - x, 9, SAND)].join(
      '',
    );
  });
  const houses = times(6, (n) => {
    const x = n * 118 - 30;
    const height = 74 + (n % 3) * 26;
    return [
      rect(x, 330 - height, 104, height, n % 2 ? '#6d675c' : '#7b7568'),
      shape(`M${x - 6} ${330 - height} l58 -36 l58 36 z`, INK),
      rect(x + 22, 350 - height, 18, 26, '#efdfae'),
      rect(x + 62, 350 - height, 18, 26, '#4a4640'),
    ].join('');
  });
  return drawing(
    '#cfccc0',
    shape('M0 300 Q260 230 560 280 T1200 240 V420 H0 Z', '#b4b5a9'),
    houses,
    rect(0, 330, 760, 470, '#7f8a8d'),
    ripples(41, 338, 560, 40, '#a9b2b2'),
    steps,
    shape('M0 520 Q300 506 600 520 T1200 514 V800 H0 Z', WATER, 'opacity="0.93"'),
    ripples(42, 528, 795, 80, '#66737a'),
    line('M1040 250 V70 Q1040 40 1010 40', INK, 12),
    shape('M984 40 h52 l-10 46 h-32 z', '#efdfae', `stroke="${INK}" stroke-width="6"`),
    rect(786, 170, 40, 80, INK),
    rect(776, 158, 60, 18, STEEL),
    line('M806 210 Q880 330 836 520', ACCENT, 7),
  );
}
