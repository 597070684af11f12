/** Texts of mails and pushes in the supported languages. */
const ENGLISH = {
  language: 'en',
  news: (count: number) => (count === 1 ? '1 new update' : `${count} new updates`),
  more: (count: number) => (count === 1 ? 'and 1 more update' : `and ${count} more updates`),
  keyEvent: 'Key event',
  urgent: 'Urgent',
  read: 'Read the live coverage',
  why: (followed: string, site: string) => `You get this e-mail because you follow “${followed}” at ${site}.`,
  stop: (followed: string) => `Stop e-mails about “${followed}”`,
  account: 'Change what you follow and how you are told',
};

const SPANISH: typeof ENGLISH = {
  language: 'es',
  news: (count) => (count === 1 ? '1 actualización nueva' : `${count} actualizaciones nuevas`),
  more: (count) => (count === 1 ? 'y 1 actualización más' : `y ${count} actualizaciones más`),
  keyEvent: 'Hecho clave',
  urgent: 'Urgente',
  read: 'Leer la cobertura en directo',
  why: (followed, site) => `Recibes este correo porque sigues «${followed}» en ${site}.`,
  stop: (followed) => `No recibir más correos sobre «${followed}»`,
  account: 'Cambiar lo que sigues y cómo se te avisa',
};

export type Words = typeof ENGLISH;

/** Returns the texts in the language of the coverage if it is supported, otherwise in English. */
export const wordsIn = (language: string): Words => (/^es\b/i.test(language) ? SPANISH : ENGLISH);
