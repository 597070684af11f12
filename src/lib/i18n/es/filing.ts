import type * as en from '../en/filing.ts';

export const filing: typeof en.filing = {
  channels: { telegram: 'Telegram' },
  linkedAt: (time) => `Vinculado ${time}`,
  lastFiledAt: (time) => `último mensaje ${time}`,
  neverFiled: 'aún sin mensajes',
  unlink: 'Desvincular',
  unlinkOf: (name, person) => `Desvincular ${name} de ${person}`,

  site: {
    what: 'El personal de la redacción escribe actualizaciones en un chat de Telegram con su bot. Lo que escribe espera en la mesa a un editor.',
    how: 'Abra en Telegram un chat con @BotFather, envíe /newbot y copie el token que muestra.',
    token: 'Token del bot',
    tokenHelp: 'Se guarda cifrado y no se vuelve a mostrar.',
    connect: 'Conectar',
    connected: (account) => `Conectado con ${account}.`,
    test: 'Enviarme una prueba',
    testText: 'Esta es una prueba de su redacción. El bot puede escribirle.',
    disconnect: 'Desconectar',
    done: {
      connected: 'Conectado. Cree un código en la página de su cuenta para vincular su propio chat.',
      tested: 'Enviado. Mire en su chat con el bot.',
      disconnected:
        'Desconectado. El token se ha borrado. Los vínculos con personas se conservan para otro bot.',
      trusted: 'Guardado. Los mensajes se publican enseguida si la persona puede publicar.',
      distrusted: 'Guardado. Los mensajes esperan a un editor.',
      unlinked: 'Desvinculado. Desde ahora se rechazan los mensajes de ese chat.',
    },
    people: 'Personas vinculadas',
    none: 'No hay ningún chat vinculado. Cada persona crea un código en la página de su cuenta y lo envía al bot.',
    inactive: 'no puede escribir',
    publishes: 'publica enseguida',
    trust: 'Publicar enseguida',
    trustOf: (name, person) => `Publicar enseguida los mensajes de ${name}, ${person}`,
    distrust: 'Esperar a un editor',
    distrustOf: (name, person) => `Los mensajes de ${name}, ${person}, esperan a un editor`,
    refusals: 'Mensajes rechazados en los últimos 7 días',
    refusalsHelp: 'De ellos solo se guarda el número.',
    reasons: {
      forged: 'no procedentes de Telegram',
      unlinked: 'de chats sin vincular',
      inactive: 'de personas que ya no pueden escribir',
      code: 'con un código equivocado, usado o caducado',
    },
    refused: (number, reason) => `${number} ${reason}`,
  },

  account: {
    title: 'Enviar por chat',
    what: 'Vincule un chat para escribir actualizaciones desde el teléfono. Esperan en la mesa a un editor. El bot avisa cuando se publican.',
    make: (channel) => `Enviar por ${channel}`,
    code: 'Código',
    codeHelp: (account, time) =>
      `Envíelo a ${account}. Vale una sola vez, hasta las ${time}. Un código nuevo lo sustituye.`,
    open: (channel) => `Enviarlo con ${channel}`,
  },
};
