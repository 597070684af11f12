import type * as en from '../en/integrations.ts';

export const wordpress: typeof en.wordpress = {
  what: 'Con un usuario de su WordPress, los editores crean en la mesa un borrador de WordPress a partir de una actualización: titular, texto, fotos y un enlace de vuelta.',
  url: 'Dirección de WordPress',
  urlHelp: 'La parte anterior a /wp-admin, como https://correo.example.',
  username: 'Usuario de WordPress',
  usernameHelp: 'Un usuario con el perfil de autor o editor. Los borradores lo tienen como autor.',
  password: 'Contraseña de aplicación',
  passwordHelp:
    'Se crea en WordPress en Usuarios → Perfil → Contraseñas de aplicación. Se guarda cifrada y no se vuelve a mostrar.',
  save: 'Guardar y probar',
  test: 'Probar',
  remove: 'Desconectar',
  connected: (url, username) => `Conectado con ${url} como ${username}.`,
  tested: (name) => `WordPress acepta la contraseña de ${name}, que puede escribir entradas y subir fotos.`,
  testedWithoutPhotos: (name) =>
    `WordPress acepta la contraseña de ${name}, que puede escribir entradas pero no subir fotos. Para traspasar fotos, dé al usuario el perfil de autor o editor.`,
  done: {
    saved: 'Guardado.',
    removed: 'Desconectado. La contraseña se ha borrado. Revóquela también en WordPress.',
    accepted: 'Hecho.',
    declined: 'Rechazado. Lo que envió WordPress se ha borrado.',
  },
  transfer: {
    title: 'Traspasar la plantilla',
    what: 'Con el plugin de su WordPress puede traspasar la plantilla, el nombre, el color, el logotipo y el menú. Nada cambia y nadie recibe una invitación hasta que usted lo acepte aquí.',
    make: 'Crear un código',
    code: 'Código para WordPress',
    codeHelp:
      'Escríbalo en WordPress en Ajustes → Cobertura en directo → Traspasar. Vale una vez, durante una hora, y no se vuelve a mostrar.',
    waiting: (time) =>
      `Un código espera a WordPress hasta las ${time}. Recargue esta página cuando WordPress haya enviado los datos. Un código nuevo lo sustituye.`,
    received: (time) => `WordPress envió esto el ${time}. Elija qué quiere aceptar.`,
    name: (name) => `Nombre: ${name}`,
    accent: (colours) => `Colores: ${colours}`,
    logo: 'Logotipo',
    menu: (labels) => `Menú: ${labels}`,
    people: 'Personas que invitar',
    person: (name, email, role) => `${name} (${email}): ${role}`,
    noPeople: 'WordPress no envió personas.',
    coverage: 'Cobertura de los colaboradores',
    coverageHelp: 'Los colaboradores escriben para una cobertura.',
    accept: 'Aceptar e invitar',
    decline: 'Rechazar',
    invited: (name) => `${name} ha recibido una invitación por correo.`,
    link: (name) => `${name}: entregue este enlace. No se vuelve a mostrar.`,
    refused: (name, sentence) => `${name}: ${sentence}`,
    again:
      'Algunas invitaciones no se han podido crear. Pulse de nuevo dentro de un rato: las que ya existen quedan como están.',
    changed: 'WordPress ha enviado otra cosa desde que abrió esta página. Revísela y acéptela de nuevo.',
    gone: 'Esto ya no está. Otro propietario ha decidido o ha pasado una semana. Cree un código nuevo.',
  },
};

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
