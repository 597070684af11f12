/** Answers in the chat. */
export type Sentences = {
  linked: (person: string) => string;
  otherPerson: string;
  wrongCode: string;
  unlinked: (account: string) => string;
  inactive: string;
  noCoverage: string;
  unknownCoverage: string;
  choose: (coverages: string[]) => string;
  chosen: (coverage: string, filed: number) => string;
  tooManyWaiting: string;
  submitted: (coverage: string) => string;
  draft: (coverage: string) => string;
  published: (number: number) => string;
  edited: string;
  changed: string;
  live: (number: number) => string;
  corrected: (number: number) => string;
  proposed: (number: number, coverage: string) => string;
  notCorrected: string;
  unknownUpdate: (number: number) => string;
  nameCoverage: string;
  correctionForm: string;
  deleted: string;
  notDeleted: (number: number) => string;
  notDeletedChanged: string;
  deletionForm: string;
  withoutFile: string;
  photoGone: string;
  photoTooLarge: string;
  albumRefused: string;
  empty: string;
  help: string;
  unknownCommand: (command: string) => string;
  tooFast: string;
  refused: string;
};

const ENGLISH: Sentences = {
  linked: (person) => `You are linked as ${person}. Your messages go to the desk. Send ? for the commands.`,
  otherPerson:
    'This chat files for another person, so the code was not used. Unlink the chat on the account page of that person first.',
  wrongCode: 'This code is wrong, used or older than 15 minutes. Make a new one on your account page.',
  unlinked: (account) =>
    `Only people of the newsroom file here. Make a code at ${account} and send it to this chat.`,
  inactive: 'Your account may not write updates any more. Nothing was stored. Ask the desk.',
  noCoverage: 'No coverage is live. Name one with #, as its address does: #river-floods. Nothing was stored.',
  unknownCoverage:
    'There is no such coverage that you may write in. Nothing was stored. Check the name after the #.',
  choose: (coverages) =>
    `For which coverage? Reply with its number. Your message waits for 12 hours.\n${listOf(coverages)}`,
  chosen: (coverage, filed) =>
    `“${coverage}” for the next 12 hours. ${filed === 1 ? 'Your message is filed.' : `${filed} messages are filed.`}`,
  tooManyWaiting: 'Too many messages wait. Reply with the number of a coverage. This one was not stored.',
  submitted: (coverage) => `With the desk: “${coverage}”.`,
  draft: (coverage) => `Saved as a draft: “${coverage}”.`,
  published: (number) => `Live, no. ${number}.`,
  edited: 'Changed.',
  changed: 'The desk has changed this update, so your edit was not saved. Tell the desk what to change.',
  live: (number) =>
    `No. ${number} is live, so your edit was not saved. Change it at the desk, or tell the desk.`,
  corrected: (number) => `Correction published, no. ${number}.`,
  proposed: (number, coverage) => `Your correction of no. ${number} is with the desk: “${coverage}”.`,
  notCorrected: 'Not changed. Send the command again in a new message.',
  unknownUpdate: (number) =>
    `There is no published no. ${number} of yours in this coverage. Nothing was stored. Name another coverage with #.`,
  nameCoverage: 'In which coverage? Name it: /correct 41 #name-of-coverage New text. Nothing was stored.',
  correctionForm:
    'Write the number and the whole new text: /correct 41 New text. Nothing was stored. Send ? for the commands.',
  deleted: 'Deleted. The desk will not publish it.',
  notDeleted: (number) => `Readers have seen no. ${number}. Ask the desk to withdraw it.`,
  notDeletedChanged:
    'The desk has changed or scheduled this update, so it was not deleted. Tell the desk if it must not be published.',
  deletionForm:
    'Reply with /delete to your message of the last 7 days that is not published yet. Nothing was deleted.',
  withoutFile: 'The file cannot be filed here. Add it at the desk.',
  photoGone: 'The photo could not be fetched from the chat. Send it again, or add it at the desk.',
  photoTooLarge: 'The photo is larger than 20 MB. Send a smaller one, or add it at the desk.',
  albumRefused: 'This album was not stored. Send the whole album again.',
  empty: 'There is nothing to file. Videos and recordings cannot be filed here yet: add them at the desk.',
  help: [
    'Write a message: it goes to the desk. A first line in capitals or bold is the headline.',
    'Edit the message to change the update. Send a photo, or a location for a map.',
    '/draft before the text: a draft that only the desk sees.',
    '/key before the text: a key event.',
    '#name-of-coverage in the text: the coverage, for 12 hours.',
    '/correct 41 and the whole new text: a correction of your update no. 41. A last line “Note: …” tells readers why.',
    'Reply /delete to your message: the desk does not publish it.',
    '? or /help: this list.',
  ].join('\n'),
  unknownCommand: (command) => `/${command} is no command. Nothing was stored. Send ? for the commands.`,
  tooFast: 'Too many messages at once. This one was not stored. Send it again in a minute.',
  refused: 'This could not be filed. Write it at the desk.',
};

const SPANISH: Sentences = {
  linked: (person) =>
    `Este chat está vinculado a ${person}. Lo que escriba aquí llega a la mesa. Envíe ? para ver los comandos.`,
  otherPerson:
    'Este chat está vinculado a otra persona, así que el código no se ha usado. Antes hay que desvincularlo en la página de la cuenta de esa persona.',
  wrongCode:
    'Este código no es correcto, ya se usó o tiene más de 15 minutos. Cree otro en la página de su cuenta.',
  unlinked: (account) =>
    `Aquí solo escribe el personal de la redacción. Cree un código en ${account} y envíelo a este chat.`,
  inactive: 'Su cuenta ya no puede escribir actualizaciones. No se ha guardado nada. Pregunte a la mesa.',
  noCoverage:
    'Ninguna cobertura está en directo. Indique una con #, como en su dirección: #crecida-del-rio. No se ha guardado nada.',
  unknownCoverage:
    'No hay ninguna cobertura con ese nombre en la que pueda escribir. No se ha guardado nada. Revise el nombre que sigue al #.',
  choose: (coverages) =>
    `¿Para qué cobertura? Responda con su número. El mensaje espera 12 horas.\n${listOf(coverages)}`,
  chosen: (coverage, filed) =>
    `«${coverage}» durante las próximas 12 horas. ${filed === 1 ? 'Mensaje enviado.' : `Mensajes enviados: ${filed}.`}`,
  tooManyWaiting:
    'Hay demasiados mensajes en espera. Responda con el número de una cobertura. Este no se ha guardado.',
  submitted: (coverage) => `En la mesa: «${coverage}».`,
  draft: (coverage) => `Guardado como borrador: «${coverage}».`,
  published: (number) => `Publicada, n.º ${number}.`,
  edited: 'Cambiada.',
  changed:
    'La mesa ha cambiado esta actualización, así que su edición no se ha aplicado. Diga a la mesa qué hay que cambiar.',
  live: (number) =>
    `La n.º ${number} está publicada, así que su edición no se ha aplicado. Cámbiela en la mesa o avise a la mesa.`,
  corrected: (number) => `Corrección publicada, n.º ${number}.`,
  proposed: (number, coverage) => `Su corrección de la n.º ${number} está en la mesa: «${coverage}».`,
  notCorrected: 'No se ha cambiado nada. Envíe otra vez el comando en un mensaje nuevo.',
  unknownUpdate: (number) =>
    `En esta cobertura no hay ninguna n.º ${number} publicada que sea suya. No se ha guardado nada. Indique otra cobertura con #.`,
  nameCoverage:
    '¿En qué cobertura? Indíquela: /correct 41 #nombre-de-la-cobertura Texto nuevo. No se ha guardado nada.',
  correctionForm:
    'Escriba el número y todo el texto nuevo: /correct 41 Texto nuevo. No se ha guardado nada. Envíe ? para ver los comandos.',
  deleted: 'Eliminada. La mesa no la publicará.',
  notDeleted: (number) => `La n.º ${number} ya se ha publicado. Pida a la mesa que la retire.`,
  notDeletedChanged:
    'La mesa ha cambiado o programado esta actualización, así que no se ha eliminado. Avise a la mesa si no debe publicarse.',
  deletionForm:
    'Responda con /delete a un mensaje suyo de los últimos 7 días que no se haya publicado. No se ha eliminado nada.',
  withoutFile: 'El archivo no se puede enviar aquí. Añádalo en la mesa.',
  photoGone: 'No se ha podido obtener la foto del chat. Envíela otra vez o añádala en la mesa.',
  photoTooLarge: 'La foto ocupa más de 20 MB. Envíe una más pequeña o añádala en la mesa.',
  albumRefused: 'Este álbum no se ha guardado. Envíe otra vez el álbum completo.',
  empty:
    'No hay nada que enviar. Por ahora no se pueden enviar aquí vídeos ni grabaciones: añádalos en la mesa.',
  help: [
    'Escriba un mensaje: llega a la mesa. Una primera línea en mayúsculas o en negrita es el titular.',
    'Edite el mensaje para cambiar la actualización. Envíe una foto, o una ubicación para añadir un mapa.',
    '/draft antes del texto: un borrador que solo ve la mesa.',
    '/key antes del texto: un momento clave.',
    '#nombre-de-la-cobertura en el texto: la cobertura, durante 12 horas.',
    '/correct 41 y todo el texto nuevo: una corrección de su actualización n.º 41. Una última línea «Nota: …» explica el motivo a los lectores.',
    'Responda /delete a su mensaje: la mesa no lo publica.',
    '? o /help: esta lista.',
  ].join('\n'),
  unknownCommand: (command) =>
    `/${command} no es un comando. No se ha guardado nada. Envíe ? para ver los comandos.`,
  tooFast: 'Demasiados mensajes a la vez. Este no se ha guardado. Envíelo otra vez dentro de un minuto.',
  refused: 'No se ha podido enviar. Escríbalo en la mesa.',
};

/** Note for readers of a correction without one, by language of the coverage. */
export const CORRECTION_NOTES = {
  en: 'The text of this update was corrected.',
  es: 'Se ha corregido el texto de esta actualización.',
};

/** Note for the desk on a proposed correction, by language of the site. */
export const proposalNotes = (number: number) => ({
  en: `Proposed correction of no. ${number}. Copy the text there, and do not publish it as an update of its own.`,
  es: `Propuesta de corrección de la n.º ${number}. Copie el texto en ella y no lo publique como otra actualización.`,
});

const listOf = (coverages: string[]) =>
  coverages.map((headline, index) => `${index + 1} ${headline}`).join('\n');

/** Returns the answers in a language; in English for languages that have none. */
export const sentencesFor = (language: string): Sentences => (/^es\b/i.test(language) ? SPANISH : ENGLISH);
