import { expect, test } from 'vitest';
import { isPressed } from '../../../src/islands/desk/KeyboardShortcuts.tsx';

const pressed = (key: string, code: string, mods = '') => ({
  key,
  code,
  ctrlKey: mods.includes('c'),
  metaKey: mods.includes('m'),
  altKey: mods.includes('a'),
  shiftKey: mods.includes('s'),
});

test.for([
  ['n', pressed('n', 'KeyN'), true],
  ['n', pressed('n', 'KeyN', 'c'), false],
  ['n', pressed('n', 'KeyN', 'a'), false],
  ['n', pressed('N', 'KeyN', 's'), false],
  ['?', pressed('?', 'Slash', 's'), true],
  ['?', pressed('?', 'Minus', 's'), true],
  ['/', pressed('/', 'Digit7', 's'), true],
  ['Mod+b', pressed('b', 'KeyB', 'c'), true],
  ['Mod+b', pressed('B', 'KeyB', 'm'), true],
  ['Mod+b', pressed('b', 'KeyB', 'cs'), false],
  ['Mod+b', pressed('b', 'KeyB'), false],
  ['Mod+b', pressed('ﻻ', 'KeyB', 'c'), true],
  ['Mod+q', pressed('a', 'KeyQ', 'c'), false],
  ['Mod+Shift+8', pressed('*', 'Digit8', 'cs'), true],
  ['Mod+Shift+8', pressed('(', 'Digit8', 'cs'), true],
  ['Mod+Shift+8', pressed('8', 'Digit8', 'c'), false],
  ['Mod+Shift+.', pressed('>', 'Period', 'cs'), true],
  ['Mod+Enter', pressed('Enter', 'Enter', 'm'), true],
  ['Enter', pressed('Enter', 'Enter', 'm'), false],
] as const)('matches %s against %o: %s', ([shortcut, event, expected]) => {
  expect(isPressed(shortcut, event)).toBe(expected);
});
