import type * as en from '../en/corrections.ts';
import { formatList, formatNumber, plural } from '../plural.ts';

export const corrections: typeof en.corrections = {
  difference: {
    added: 'Añadido:',
    removed: 'Eliminado:',
    end: '.',
    unchanged: 'sin cambios',
    photo: 'Foto',
    posted: 'Publicada',
    quoted: 'Citada',
    gone: 'Ya no estaba al comprobarla',
    presets: { results: 'Resultados', score: 'Marcador', closures: 'Cierres', shelters: 'Albergues' },
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
    title: 'Historial de cambios',
    kinds: {
      publication: 'Publicada',
      revision: 'Revisada',
      clarification: 'Aclaración',
      correction: 'Corrección',
      withdrawal: 'Retirada',
    },
    revisions: (count) => `Revisada ${formatNumber(count, 'es')} ${plural(count, 'vez', 'veces', 'es')}`,
    same: 'El texto no cambió.',
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
    read: 'desde la dirección CSV de una tabla',
    seen: 'Los lectores la han visto.',
    unseen: 'Los lectores nunca la han visto.',
    older: 'Ver versiones anteriores',
    use: 'Recuperar esta versión',
    redact: 'Suprimir',
    redactSure:
      'El texto de esta versión se elimina para siempre, para los lectores y para la mesa. No se puede deshacer. Las copias de seguridad anteriores aún lo contienen.',
    redactReason: 'Motivo de la eliminación',
    redactSeen: 'Los lectores ven el motivo y la fecha en el historial de cambios.',
    redactUnseen: 'Solo lo ve la mesa.',
    redactConfirm: (version) => `Eliminar el texto de la versión ${version}`,
    redacted: (version) => `El texto de la versión ${version} se ha eliminado.`,
    redactNote: 'Eliminar también su nota. Los lectores ven el motivo en su lugar',
    redactNoteSure:
      'La nota se elimina para siempre. Los lectores ven el motivo en su lugar, también en la página de correcciones.',
    redactNoteConfirm: (version) => `Eliminar la nota de la versión ${version}`,
    noteRedacted: (version) => `La nota de la versión ${version} se ha eliminado.`,
    redactedToo: (versions) =>
      `Con ella se eliminó el mismo texto en ${plural(versions.length, 'la versión', 'las versiones', 'es')} ${formatList(versions.map(String), 'es')}.`,
    redactedLeft: (versions) =>
      `El mismo texto sigue en ${plural(versions.length, 'la versión', 'las versiones', 'es')} ${formatList(versions.map(String), 'es')}.`,
  },

  change: {
    revision:
      'Los lectores ven enseguida el texto nuevo, con la hora del cambio. El historial muestra el texto anterior.',
    clarification:
      'Los lectores ven enseguida el texto nuevo, con la nota debajo. La nota aparece en la página de correcciones. El historial muestra el texto anterior.',
    correction:
      'Los lectores ven enseguida el texto nuevo, con la nota debajo. La nota aparece en la página de correcciones. El historial muestra el texto anterior.',
  },

  withdrawal: {
    words: 'Los lectores ya no pueden leer su texto ni ninguna versión anterior. No se puede deshacer.',
    photos: (count) =>
      plural(
        count,
        'Los lectores dejan de ver su foto, salvo que otra actualización la muestre.',
        `Los lectores dejan de ver sus ${formatNumber(count, 'es')} fotos, salvo que otra actualización las muestre.`,
        'es',
      ),
    keyEvent: 'Deja de ser un momento clave.',
    pinned: 'Deja de estar fijada.',
    stays:
      'Los lectores siguen viendo su número, sus horas y el motivo, también en la página de correcciones. La mesa conserva el texto en el historial.',
  },

  page: {
    title: 'Correcciones',
    what: (name) =>
      `Correcciones, aclaraciones y retiradas de ${name}, lo más reciente primero. Los cambios menores aparecen en la página de cada actualización.`,
    none: 'Aún no hay correcciones.',
    noMore: 'No hay correcciones anteriores.',
    withdrawnUpdate: (number) => `Actualización ${number}`,
    coverage: 'Se retiró una cobertura entera.',
    older: 'Anteriores',
    newest: 'Lo más reciente',
    description: (name) => `Correcciones, aclaraciones y retiradas de ${name}.`,
  },
};
