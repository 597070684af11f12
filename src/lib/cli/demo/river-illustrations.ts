import {
  ACCENT,
  circle,
  drawing,
  INK,
  line,
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
