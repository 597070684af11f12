import type * as en from '../en/corrections.ts';
import { formatList, formatNumber, plural } from '../plural.ts';

export const corrections: typeof en.corrections = {
  difference: {
    added: 'Añadido:',
    removed: 'Eliminado:',
    end: '.',
    unchanged: 'sin cambios',
    photo: 'Foto',
  },
  yes: 'sí',
  no: 'no',
  fields: {
    attribution: 'Fuente',
    dateline: 'Lugar',
    bylines: 'Por',
    occurred_at: 'Ocurrió',
    key_event: 'Momento clave',
    urgency: 'Urgencia',
    verification: 'Verificación',
    desk_note: 'Nota para la mesa',
  },
  urgencies: { normal: 'normal', important: 'importante', urgent: 'urgente' },
  verifications: { confirmed: 'confirmado', developing: 'en desarrollo', unverified: 'sin verificar' },

  history: {
    title: 'Qué se ha cambiado aquí',
    kinds: {
      publication: 'Publicada',
      revision: 'Revisada',
      clarification: 'Aclaración',
      correction: 'Corrección',
      withdrawal: 'Retirada',
    },
    revisions: (count) => `Revisada ${formatNumber(count, 'es')} ${plural(count, 'vez', 'veces', 'es')}`,
    same: 'Las palabras no cambiaron.',
    redacted: 'El texto de esta versión se eliminó',
    incomparable: 'No se muestra qué cambió, porque el texto anterior se eliminó.',
    newest: 'Solo se muestran las versiones más recientes.',
  },

  desk: {
    history: 'Historial',
    title: 'Versiones',
    version: (version) => `Versión ${version}`,
    saved: 'Guardada',
    by: (name) => `por ${name}`,
    seen: 'Los lectores la han visto.',
    unseen: 'Los lectores nunca la han visto.',
    older: 'Ver versiones anteriores',
    use: 'Volver a usar estas palabras',
    redact: 'Suprimir',
    redactSure:
      'Las palabras de esta versión se eliminan para siempre: nadie podrá leerlas, tampoco en la mesa, y nadie podrá recuperarlas. Las copias de seguridad hechas antes aún las contienen.',
    redactReason: 'Por qué se eliminan',
    redactSeen: 'Los lectores lo ven, con la fecha, en el historial de la actualización.',
    redactUnseen: 'Lo ve la mesa.',
    redactConfirm: (version) => `Eliminar las palabras de la versión ${version}`,
    redacted: (version) => `Las palabras de la versión ${version} se han eliminado.`,
    redactNote: 'Eliminar también su nota: para los lectores queda el motivo en su lugar',
    redactNoteSure:
      'La nota se elimina para siempre. Para los lectores queda el motivo en su lugar, también en la página de correcciones.',
    redactNoteConfirm: (version) => `Eliminar la nota de la versión ${version}`,
    noteRedacted: (version) => `La nota de la versión ${version} se ha eliminado.`,
    redactedToo: (versions) =>
      `Con ella se eliminó el mismo texto en ${plural(versions.length, 'la versión', 'las versiones', 'es')} ${formatList(versions.map(String), 'es')}.`,
    redactedLeft: (versions) =>
      `El mismo texto sigue en ${plural(versions.length, 'la versión', 'las versiones', 'es')} ${formatList(versions.map(String), 'es')}.`,
  },

  change: {
    revision:
      'Los lectores ven enseguida las palabras nuevas y la hora del cambio. Las anteriores quedan en el historial, en la página de la actualización.',
    clarification:
      'Los lectores ven enseguida las palabras nuevas, también en las páginas abiertas, con la nota debajo. Figura en la página de correcciones, y las palabras anteriores quedan en el historial, en la página de la actualización.',
    correction:
      'Los lectores ven enseguida las palabras nuevas, también en las páginas abiertas, con la nota debajo. Figura en la página de correcciones, y las palabras anteriores quedan en el historial, en la página de la actualización.',
  },

  withdrawal: {
    words:
      'Los lectores ya no pueden leer sus palabras en ningún sitio, tampoco las versiones anteriores. No se puede deshacer.',
    photos: (count) =>
      plural(
        count,
        'Su foto desaparece para los lectores, salvo que otra actualización la muestre.',
        `Sus ${formatNumber(count, 'es')} fotos desaparecen para los lectores, salvo que otra actualización las muestre.`,
        'es',
      ),
    keyEvent: 'Deja de ser un momento clave.',
    pinned: 'Deja de estar fijada al principio de la página.',
    stays:
      'Su número, sus horas y el motivo quedan en su lugar y en la página de correcciones. La mesa conserva las palabras en su historial.',
  },

  page: {
    title: 'Correcciones',
    what: (name) =>
      `Lo que ${name} ha corregido, aclarado o retirado, lo más reciente primero. Las erratas no figuran aquí; las cuenta la página de cada actualización.`,
    none: 'Hasta ahora no ha habido nada que corregir.',
    noMore: 'No hay nada anterior.',
    withdrawnUpdate: (number) => `Actualización ${number}`,
    coverage: 'Se retiró una cobertura entera.',
    older: 'Anteriores',
    newest: 'Lo más reciente',
    description: (name) => `Correcciones, aclaraciones y retiradas de ${name}.`,
  },
};
