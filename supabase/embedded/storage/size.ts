const UNITS: Record<string, number> = { '': 1, k: 1e3, m: 1e6, g: 1e9 };

/** A size as a client writes it: `20MB`, with its units in thousands. @returns bytes; undefined when it is none */
export function readSize(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([kmg]?)b$/i.exec(text.trim()) ?? [];
  const factor = UNITS[(unit ?? '').toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Math.round(Number(number) * factor);
}

/** A size as the Supabase CLI reads it in config.toml: every unit in powers of 1024, `20MB` as `20MiB`. */
export function readBinarySize(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?([kmg]?)i?b?$/i.exec(text.trim()) ?? [];
  const power = ['', 'k', 'm', 'g'].indexOf((unit ?? '').toLowerCase());
  return number === undefined || power < 0 ? undefined : Math.round(Number(number) * 1024 ** power);
}
