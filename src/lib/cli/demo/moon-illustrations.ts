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
  round,
  SAND,
  SLATE,
  STEEL,
  shape,
  stars,
  times,
} from './drawing.ts';

/** Ground of the Moon with craters, from `top` down. */
function moonGround(seed: number, top: number, count: number): string[] {
  const random = randomFrom(seed);
  const craters = times(count, () => {
    const depth = random();
    const [x, y, width] = [
      random() * 1200,
      top + 40 + depth * (760 - top),
      14 + depth * 60 * (0.4 + random()),
    ];
    const crater = (dy: number, fill: string) =>
      `<ellipse cx="${round(x)}" cy="${round(y + dy)}" rx="${round(width)}" ry="${round(width * 0.28)}" fill="${fill}"/>`;
    return crater(4, '#e4dfd2') + crater(0, '#86847d');
  });
  return [
    shape(`M0 ${top + 20} Q300 ${top - 24} 640 ${top + 8} T1200 ${top - 6} V800 H0 Z`, '#b6b3a9'),
    ...craters,
  ];
}

const ascentStage = (x: number, y: number) =>
  [
    shape(
      `M${x - 92} ${y + 70} l22 -104 l44 -30 h52 l44 30 l22 104 l-30 36 h-124 z`,
      '#d9d6cb',
      `stroke="${INK}" stroke-width="6"`,
    ),
    shape(`M${x - 58} ${y - 6} l40 4 l-12 38 z`, INK),
    shape(`M${x + 58} ${y - 6} l-40 4 l12 38 z`, INK),
    rect(x - 22, y + 44, 44, 50, SLATE, `stroke="${INK}" stroke-width="5"`),
    line(`M${x + 40} ${y - 62} V${y - 104}`, STEEL, 5),
    shape(`M${x + 16} ${y - 116} q24 30 48 0 z`, PAPER, `stroke="${INK}" stroke-width="5"`),
  ].join('');

const descentStage = (x: number, y: number) =>
  [
    line(
      `M${x - 110} ${y + 20} L${x - 196} ${y + 150} M${x + 110} ${y + 20} L${x + 196} ${y + 150}`,
      SLATE,
      11,
    ),
    line(`M${x - 60} ${y + 80} L${x - 180} ${y + 128} M${x + 60} ${y + 80} L${x + 180} ${y + 128}`, SLATE, 7),
    `<ellipse cx="${x - 200}" cy="${y + 154}" rx="36" ry="9" fill="${SLATE}"/>`,
    `<ellipse cx="${x + 200}" cy="${y + 154}" rx="36" ry="9" fill="${SLATE}"/>`,
    rect(x - 124, y, 248, 92, '#c9a95c', `stroke="${INK}" stroke-width="6"`),
    line(`M${x - 62} ${y} V${y + 92} M${x + 62} ${y} V${y + 92}`, INK, 5),
    shape(`M${x - 30} ${y + 92} h60 l18 34 h-96 z`, SLATE),
  ].join('');

const flag = (x: number, y: number) =>
  line(`M${x} ${y} V${y - 170}`, PAPER, 6) +
  rect(x, y - 170, 112, 66, PAPER) +
  times(4, (n) => rect(x, y - 170 + n * 19, 112, 9, ACCENT)).join('') +
  rect(x, y - 170, 46, 36, NIGHT);

/** The lunar module above the craters, with the Earth. */
export function eagleInOrbit(): string {
  return drawing(
    INK,
    stars(31, 560, 150),
    circle(900, 250, 108, '#8ea0a6'),
    shape('M812 212 q50 -60 110 -40 q30 34 -20 56 q-60 10 -90 -16 z', '#e4e0d3'),
    shape('M856 312 q60 -30 120 0 q-30 46 -76 44 q-36 -14 -44 -44 z', '#e4e0d3'),
    // The night side of the Earth.
    shape('M900 142 A108 108 0 0 1 900 358 A150 150 0 0 0 900 142 Z', '#3a464c'),
    moonGround(33, 640, 26),
    `<g transform="rotate(-14 400 330)">${descentStage(400, 350)}${ascentStage(400, 254)}</g>`,
  );
}

/** The lunar module on the ground, with flag and footprints. */
export function eagleOnTheMoon(): string {
  return drawing(
    INK,
    stars(41, 500, 120),
    moonGround(43, 560, 34),
    shape('M380 700 L980 742 L1010 724 L560 676 Z', '#77756e'),
    descentStage(520, 540),
    ascentStage(520, 444),
    line('M600 600 L690 690 M576 612 L664 700 M612 630 l-22 12 M640 656 l-24 12 M664 680 l-24 14', PAPER, 5),
    flag(920, 690),
    times(
      12,
      (n) => `<ellipse cx="${700 + n * 17}" cy="${712 + (n % 2) * 12}" rx="7" ry="3" fill="#77756e"/>`,
    ),
  );
}

/** The upper half of the lunar module rises. */
export function leavingTheMoon(): string {
  const rays = times(15, (n) => {
    const angle = Math.PI * (0.08 + (n / 14) * 0.84);
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    return line(
      `M${round(600 + dx * 150)} ${round(520 + dy * 36)} L${round(600 + dx * (300 + (n % 3) * 60))} ${round(520 + dy * 120)}`,
      SAND,
      4,
    );
  });
  return drawing(
    INK,
    stars(51, 520, 150),
    moonGround(53, 560, 34),
    shape('M568 332 L632 332 L664 560 H536 Z', '#efdfae', 'opacity="0.9"'),
    rays,
    descentStage(600, 540),
    ascentStage(600, 214),
    `<g transform="rotate(62 900 700)">${flag(900, 700)}</g>`,
  );
}

/** The first steps on the Moon as television showed them: grey, with few lines. */
export function moonOnTelevision(): string {
  const random = randomFrom(91);
  return drawing(
    '#1c1e1e',
    shape('M0 470 Q400 430 760 470 T1200 440 V800 H0 Z', '#9a9c98'),
    shape('M0 560 Q300 530 700 580 T1200 560 V800 H0 Z', '#b9bbb6'),
    shape('M0 0 H430 L330 420 L150 470 L0 440 Z', '#0b0c0c'),
    line('M330 60 L520 620 M420 40 L610 600', '#d7d9d4', 12),
    times(7, (n) => line(`M${360 + n * 27} ${150 + n * 68} l94 -14`, '#c3c5c0', 9)),
    line('M150 380 L690 700', '#0b0c0c', 26),
    '<ellipse cx="712" cy="714" rx="86" ry="20" fill="#0b0c0c"/>',
    // Armstrong, with the pack on his back, at the foot of the ladder.
    shape('M690 330 q70 -30 96 20 l26 130 l-18 130 h-44 l-10 -100 l-16 100 h-46 l-4 -150 z', '#e3e5e0'),
    circle(706, 300, 46, '#eff0ec'),
    shape('M676 292 q24 -28 52 0 l-6 26 h-40 z', '#3a3d3d'),
    rect(756, 320, 66, 130, '#8b8e8a', 'rx="10"'),
    line('M690 390 L600 350', '#e3e5e0', 30),
    times(100, (n) => rect(0, n * 8, 1200, 3, '#000000', 'opacity="0.28"')),
    times(60, () => rect(random() * 1200, random() * 800, 20 + random() * 90, 3, PAPER, 'opacity="0.22"')),
  );
}
