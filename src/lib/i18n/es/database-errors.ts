import type * as en from '../en/database-errors.ts';

/** In the order of the migrations. A test holds this list to them. */
export const law: typeof en.law = {
  sentences: [
    ['Sign in, then press again. Your text is kept.', 'Entre y vuelva a pulsar. Su texto se conserva.'],
    ['Send an id made for this press.', 'Envíe un identificador hecho para esta pulsación.'],
    [
      'This press is not yours or was for something else. Make a new one.',
      'Esta pulsación no es suya o era para otra cosa. Haga una nueva.',
    ],
    ['What the audit log says is not changed.', 'Lo que dice el registro de actos no se cambia.'],
    [
      'There is no such entry. Start again from the newest.',
      'Esa anotación no existe. Empiece de nuevo por la más reciente.',
    ],
    ['Send this as text.', 'Envíe esto como texto.'],
    [
      'Use one line of words, at most %s characters.',
      'Use una sola línea de palabras, de %s caracteres como mucho.',
    ],
    ['Use words, at most %s characters.', 'Use palabras, %s caracteres como mucho.'],
    ['Send the content as an object.', 'Envíe el contenido como un objeto.'],
    ['There is no such field.', 'Ese campo no existe.'],
    [
      'Give a date and time with its zone, as 2026-03-01T14:05:00Z.',
      'Dé fecha y hora con su zona, como 2026-03-01T14:05:00Z.',
    ],
    ['Give a time that has passed.', 'Dé una hora que ya haya pasado.'],
    ['Choose one of: %s.', 'Elija uno de estos: %s.'],
    ['Give a whole number from %s to %s.', 'Dé un número entero de %s a %s.'],
    ['Send the text as a list of blocks.', 'Envíe el texto como una lista de bloques.'],
    ['Write something first.', 'Escriba algo primero.'],
    ['Use at most %s blocks: this has %s.', 'Use %s bloques como mucho: esto tiene %s.'],
    ['Use at most %s characters: this has %s.', 'Use %s caracteres como mucho: esto tiene %s.'],
    [
      'Shorten this, or use fewer links and less formatting.',
      'Acorte esto, o use menos enlaces y menos formato.',
    ],
    ['Photos stand in updates, not in a summary.', 'Las fotos van en las actualizaciones, no en un resumen.'],
    ['Use each photo once.', 'Use cada foto una sola vez.'],
    [
      'Each block is a paragraph, list, quote or link with words in it, or a photo; links are http or https.',
      'Cada bloque es un párrafo, una lista, una cita o un enlace con palabras, o una foto; los enlaces son http o https.',
    ],
    ['Say true or false.', 'Diga verdadero o falso.'],
    [
      'Name at most %s different people of the staff.',
      'Nombre como mucho a %s personas distintas de la redacción.',
    ],
    [
      'Tell readers what changed or why, in 1 to %s characters.',
      'Diga a los lectores qué cambió o por qué, en 1 a %s caracteres.',
    ],
    ['There is no such thing, or it is not open to you.', 'No existe o no está abierto para usted.'],
    [
      'This coverage is being brought in from a folder. Wait until all of it is here.',
      'Esta cobertura se está trayendo de una carpeta. Espere a que esté entera.',
    ],
    [
      'This id is taken. Make a new one; your text is kept.',
      'Este identificador está ocupado. Haga uno nuevo; su texto se conserva.',
    ],
    [
      'Your role does not allow this. Ask an editor. Your text is kept.',
      'Su función no permite esto. Pregunte a un editor. Su texto se conserva.',
    ],
    ['Send an id made for this update.', 'Envíe un identificador hecho para esta actualización.'],
    [
      'One of the photos is not here any more, or not yours. Take it out, or add it again.',
      'Una de las fotos ya no está o no es suya. Quítela o añádala de nuevo.',
    ],
    [
      'Say of each photo what it shows, for those who do not see it.',
      'Diga qué muestra cada foto, para quien no la ve.',
    ],
    [
      'Only an editor marks an update urgent. Choose important, or ask an editor.',
      'Solo un editor marca algo como urgente. Elija importante o pregunte a un editor.',
    ],
    [
      'Somebody saved a newer version meanwhile. Compare the two, then save again.',
      'Alguien ha guardado entretanto una versión más reciente. Compare las dos y vuelva a guardar.',
    ],
    [
      'Updates are published into a live, paused or ended coverage. Set its state first; your text is kept.',
      'Se publica en una cobertura en directo, en pausa o terminada. Cambie antes su estado; su texto se conserva.',
    ],
    [
      'This update is no longer at the desk. Open it again to see where it is.',
      'Esta actualización ya no está en la mesa. Ábrala otra vez para ver dónde está.',
    ],
    ['This update was submitted or scheduled already.', 'Esta actualización ya se entregó o se programó.'],
    [
      'This update was withdrawn. Publish a new one instead.',
      'Esta actualización se ha retirado. Publique otra en su lugar.',
    ],
    ['This update is not published yet.', 'Esta actualización aún no está publicada.'],
    ['Choose clarification or correction.', 'Elija aclaración o corrección.'],
    [
      'Only a published update of this coverage can be pinned.',
      'Solo se puede fijar una actualización publicada de esta cobertura.',
    ],
    [
      'Use %s to %s of a-z, 0-9 and single hyphens.',
      'Use de %s a %s caracteres de a-z, 0-9 y guiones sueltos.',
    ],
    ['Write a headline.', 'Escriba un titular.'],
    [
      'Give a time zone by its IANA name, as Europe/Paris.',
      'Dé la zona horaria por su nombre IANA, como Europe/Paris.',
    ],
    ['Give a language by its tag, as en or pt-BR.', 'Dé el idioma por su etiqueta, como es o pt-BR.'],
    ['A scheduled coverage says when it starts.', 'Una cobertura anunciada dice cuándo empieza.'],
    [
      'This slug belongs to another coverage. Choose a different one.',
      'Esta dirección es de otra cobertura. Elija una distinta.',
    ],
    [
      'Name at most %s topics that exist, by their slugs.',
      'Nombre como mucho %s temas que existan, por su dirección.',
    ],
    ['Send an id made for this coverage.', 'Envíe un identificador hecho para esta cobertura.'],
    ['A coverage cannot go from %s to %s.', 'Una cobertura no puede pasar de %s a %s.'],
    ['Say when it starts before you schedule it.', 'Diga cuándo empieza antes de anunciarla.'],
    [
      'This coverage is not live, so it needs no word that it goes on.',
      'Esta cobertura no está en directo, así que no hace falta decir que sigue.',
    ],
    ['Give a day on which it ends.', 'Dé un día en el que termine.'],
    [
      'Only a contributor is added to a coverage. Others see it by their role.',
      'A una cobertura solo se añade un colaborador. Los demás la ven por su función.',
    ],
    ['A name is one line of 1 to %s characters.', 'Un nombre es una línea de 1 a %s caracteres.'],
    ['A description has at most %s characters.', 'Una descripción tiene %s caracteres como mucho.'],
    [
      "Give a colour as #rrggbb, or nothing for the house's own.",
      'Dé un color como #rrggbb, o nada para el de la casa.',
    ],
    [
      'This colour has a contrast of %s to the paper; text needs %s.',
      'Este color tiene un contraste de %s con el papel; el texto necesita %s.',
    ],
    ['Send the sites as a list of texts.', 'Envíe los sitios como una lista de textos.'],
    ['Anybody, which is *, stands alone.', 'Cualquiera, que es *, va solo.'],
    ['Name at most %s sites.', 'Nombre como mucho %s sitios.'],
    [
      'Give each site as https://example.com, or with *. before its name for all below it.',
      'Indique cada sitio como https://example.com, o con *. ante su nombre para todos los que dependen de él.',
    ],
    ['Give the site a name.', 'Dé un nombre al sitio.'],
    ['Photos stand in updates, not here.', 'Las fotos van en las actualizaciones, no aquí.'],
    ['Choose how readers follow.', 'Elija cómo siguen los lectores.'],
    [
      'The last owner cannot be removed. Make somebody else an owner first.',
      'No se puede quitar al último dueño. Haga antes dueño a otra persona.',
    ],
    ['Choose a role.', 'Elija una función.'],
    ['There is no such person.', 'Esa persona no existe.'],
    [
      'The list has changed. Start again from its beginning.',
      'La lista ha cambiado. Empiece de nuevo por el principio.',
    ],
    ['Give the time at which it was published, with its zone.', 'Dé la hora en que se publicó, con su zona.'],
    ['Give an id made for this item.', 'Dé un identificador hecho para este elemento.'],
    [
      'Photos come in before the updates that show them, each with what it shows.',
      'Las fotos entran antes que las actualizaciones que las muestran, cada una con lo que muestra.',
    ],
    [
      'You have been signed out. Sign in again; your text is kept.',
      'Se ha cerrado su sesión. Vuelva a entrar; su texto se conserva.',
    ],
    ['This account is not active. Ask an owner.', 'Esta cuenta no está activa. Pregunte a un dueño.'],
    ['Give a name: one line of 1 to %s characters.', 'Dé un nombre: una línea de 1 a %s caracteres.'],
    ['Send the SHA-256 of the code in hexadecimal.', 'Envíe el SHA-256 del código en hexadecimal.'],
    ['This newsroom has its owner. Sign in instead.', 'Esta redacción ya tiene dueño. Entre, mejor.'],
    [
      'This is not the code that the server showed last. Look at its log again.',
      'Este no es el último código que mostró el servidor. Mire otra vez su registro.',
    ],
    [
      'This photo is for readers: say what it shows, for those who do not see it.',
      'Esta foto es para los lectores: diga qué muestra, para quien no la ve.',
    ],
    ['Send an id made for this photo.', 'Envíe un identificador hecho para esta foto.'],
    ['This photo is %s already.', 'Esta foto ya está así: %s.'],
    [
      'Send the prints with width, height and bytes, the smallest first.',
      'Envíe las copias con anchura, altura y bytes, la más pequeña primero.',
    ],
    ['Send a colour as #0a1b2c.', 'Envíe un color como #0a1b2c.'],
    ['Send a code of the error catalogue.', 'Envíe un código del catálogo de errores.'],
    ['Somebody else sends this photo.', 'Esta foto la envía otra persona.'],
    [
      'Send a secret of at least 32 characters of A-Z, a-z, 0-9, _ and -.',
      'Envíe un secreto de al menos 32 caracteres de A-Z, a-z, 0-9, _ y -.',
    ],
    [
      'Give a time to come, with its zone. To publish now, publish.',
      'Dé una hora por venir, con su zona. Para publicar ahora, publique.',
    ],
    ['Give a time within %s days.', 'Dé una hora dentro de %s días.'],
    [
      'This coverage takes no more updates. Your text is kept.',
      'Esta cobertura no admite más actualizaciones. Su texto se conserva.',
    ],
    ['This update is not on the schedule.', 'Esta actualización no está programada.'],
    ['There are no words in this version any more.', 'En esta versión ya no hay palabras.'],
    [
      'These are the words as they stand now. Change them or withdraw the update, then redact this version.',
      'Estas son las palabras actuales. Cámbielas o retire la actualización y después suprima esta versión.',
    ],
    ['This photo was removed already.', 'Esta foto ya se eliminó.'],
    [
      'Updates that are not yours show it too: %s. Ask an editor.',
      'También la muestran actualizaciones que no son suyas: %s. Pregunte a un editor.',
    ],
    [
      'An update shows both photos: %s. Take one of them out there.',
      'Una actualización muestra las dos fotos: %s. Quite una de ellas allí.',
    ],
    [
      'An update says nothing but this photo: %s. Withdraw that update instead.',
      'Una actualización no dice más que esta foto: %s. Retire esa actualización, mejor.',
    ],
    [
      'An update that waits says nothing but this photo. Put that update away first.',
      'Una actualización en espera no dice más que esta foto. Descártela primero.',
    ],
    [
      'The other photo is not here, or not yours. Choose it again.',
      'La otra foto no está aquí o no es suya. Elíjala de nuevo.',
    ],
    ['The other photo has not arrived. Choose it again.', 'La otra foto no ha llegado. Elíjala de nuevo.'],
    [
      'The account with this address is deactivated. Activate it first.',
      'La cuenta con esta dirección está desactivada. Actívela primero.',
    ],
    [
      'This person has that role, or a higher one, already.',
      'Esta persona ya tiene esa función o una superior.',
    ],
    ['Send an id made for this invitation.', 'Envíe un identificador hecho para esta invitación.'],
    ['Send the SHA-256 of a secret in hexadecimal.', 'Envíe el SHA-256 de un secreto en hexadecimal.'],
    ['Give an e-mail address, as name@example.com.', 'Dé una dirección de correo, como nombre@example.com.'],
    [
      'Choose a role. To read, nobody needs an invitation.',
      'Elija una función. Para leer nadie necesita invitación.',
    ],
    ['Choose the coverage that they are to write for.', 'Elija la cobertura para la que escribirá.'],
    [
      'This address is invited already. Send that invitation again, or revoke it first.',
      'Esta dirección ya tiene una invitación. Envíela otra vez o anúlela antes.',
    ],
    ['This invitation is good no more. Ask for another.', 'Esta invitación ya no vale. Pida otra.'],
    ['This invitation has been %s already.', 'Esta invitación ya no está pendiente: %s.'],
    [
      'This invitation is for another address. Sign in with the account that has it.',
      'Esta invitación es para otra dirección. Entre con la cuenta que la tiene.',
    ],
    [
      'Begin an export first. It can be taken for a day.',
      'Empiece antes una exportación. Puede llevársela durante un día.',
    ],
    [
      'Somebody else has this tip in review. Leave it to them, or take it over first.',
      'Otra persona está revisando este aviso. Déjeselo o tómelo antes usted.',
    ],
    ['This tip is open already.', 'Este aviso ya está abierto.'],
    [
      'This tip was dealt with meanwhile. Look at what became of it.',
      'Este aviso se ha resuelto entretanto. Mire qué ha sido de él.',
    ],
    [
      'This tip was changed meanwhile. Look at it again, then press again.',
      'Este aviso ha cambiado entretanto. Mírelo otra vez y vuelva a pulsar.',
    ],
    ['Choose somebody who handles tips.', 'Elija a alguien que atienda los avisos.'],
    ['Choose declined or spam.', 'Elija rechazado o spam.'],
    [
      'This tip has no photo that can be shown here. Leave it out.',
      'Este aviso no tiene foto que se pueda mostrar aquí. Déjela fuera.',
    ],
    [
      'What was made of this tip was published. Withdraw that update instead.',
      'Lo que se hizo de este aviso se ha publicado. Retire esa actualización, mejor.',
    ],
    ['Send a P-256 public key in base64url.', 'Envíe una clave pública P-256 en base64url.'],
    ['Send a P-256 private key in base64url.', 'Envíe una clave privada P-256 en base64url.'],
    ['Name a coverage or a topic.', 'Nombre una cobertura o un tema.'],
    ['Choose all updates or key events.', 'Elija todas las actualizaciones o los momentos clave.'],
    [
      'Nobody follows more than %s things. End one of yours first.',
      'Nadie sigue más de %s cosas. Deje antes de seguir una.',
    ],
    [
      'This browser is told by a service that is not known here. Choose e-mail, or another browser.',
      'Este navegador recibe avisos de un servicio que aquí no se conoce. Elija el correo u otro navegador.',
    ],
    [
      'This is no key of a browser. Turn alerts off in it and on again.',
      'Esta no es la clave de un navegador. Desactive los avisos en él y vuelva a activarlos.',
    ],
    ['This coverage was withdrawn.', 'Esta cobertura se retiró.'],
    ['Give a whole number from %s on.', 'Dé un número entero desde %s.'],
    ['Give a list of at most %s.', 'Dé una lista de %s como mucho.'],
    [
      'Each of a list is an object of the fields that are known.',
      'Cada elemento de una lista es un objeto con los campos conocidos.',
    ],
    ['Only what readers may see is brought in.', 'Solo se trae lo que los lectores pueden ver.'],
    [
      'A coverage that has begun says when, and no other does.',
      'Una cobertura que ha empezado dice cuándo, y ninguna otra.',
    ],
    [
      'A coverage that has ended says when, and no other does.',
      'Una cobertura que ha terminado dice cuándo, y ninguna otra.',
    ],
    ['Nothing is published before a coverage begins.', 'Nada se publica antes de que una cobertura empiece.'],
    [
      'Each person has a handle, a name and a bio as people here have them.',
      'Cada persona tiene un alias, un nombre y una nota como las personas de aquí.',
    ],
    ['Name each of them once.', 'Nombre cada uno una sola vez.'],
    ['One of these people is here, and is no author.', 'Una de estas personas está aquí y no firma nada.'],
    ['Each slug is one that a coverage can have.', 'Cada dirección es una que puede tener una cobertura.'],
    [
      'The slug %s belongs to another coverage here. Give a different one.',
      'La dirección %s es aquí de otra cobertura. Dé una distinta.',
    ],
    [
      'The slug of the coverage is among its slugs.',
      'La dirección de la cobertura está entre sus direcciones.',
    ],
    ['The photo %s is here already, in another coverage.', 'La foto %s ya está aquí, en otra cobertura.'],
    [
      'Each topic has a slug, a name and a description as topics here have them.',
      'Cada tema tiene una dirección, un nombre y una descripción como los temas de aquí.',
    ],
    [
      'This is no coverage as this newsroom writes them. It may be of a newer version.',
      'Esto no es una cobertura como las que escribe esta redacción. Puede ser de una versión más nueva.',
    ],
    [
      'This coverage is here already, and further on: change %s, where the folder has %s.',
      'Esta cobertura ya está aquí y va más adelante: cambio %s, donde la carpeta tiene %s.',
    ],
    [
      'This coverage is here already, and is not the same. What has come since is not brought together.',
      'Esta cobertura ya está aquí y no es igual. Lo que ha venido desde entonces no se une.',
    ],
    [
      'This coverage is not being brought in any more. Start again from the beginning.',
      'Esta cobertura ya no se está trayendo. Empiece de nuevo desde el principio.',
    ],
    ['Name at most %s people of the file.', 'Nombre como mucho a %s personas del archivo.'],
    ['Versions go up by one to the one that stands.', 'Las versiones suben de una en una hasta la vigente.'],
    [
      'The first version is the publication; others are revisions, clarifications or corrections.',
      'La primera versión es la publicación; las demás son revisiones, aclaraciones o correcciones.',
    ],
    [
      'Each version says what it said, but one that was redacted and the one that stands.',
      'Cada versión dice lo que decía, menos la suprimida y la vigente.',
    ],
    ['This shows a photo of another coverage.', 'Esto muestra una foto de otra cobertura.'],
    ['Numbers go up by one: the next is %s.', 'Los números suben de uno en uno: el siguiente es %s.'],
    ['An update of this id is here already.', 'Una actualización con este identificador ya está aquí.'],
    [
      'Name the photos of the file that the body shows, in its order.',
      'Nombre las fotos del archivo que muestra el texto, en su orden.',
    ],
    [
      'What has several versions says when it was revised, and nothing else does.',
      'Lo que tiene varias versiones dice cuándo se revisó, y nada más.',
    ],
    ['What was corrected says when, and nothing else does.', 'Lo que se corrigió dice cuándo, y nada más.'],
    ['Of what was withdrawn there are no words.', 'De lo que se retiró no hay palabras.'],
    ['What was withdrawn has a version before.', 'Lo que se retiró tiene una versión anterior.'],
    ['This is not as updates are here.', 'Esto no es como las actualizaciones de aquí.'],
    ['Changes go up by one: the next is %s.', 'Los cambios suben de uno en uno: el siguiente es %s.'],
    ['Say what kind of change it was.', 'Diga qué clase de cambio fue.'],
    [
      'There are %s updates, where the coverage counts %s.',
      'Hay %s actualizaciones, donde la cobertura cuenta %s.',
    ],
    [
      'The coverage counts %s changes, and not all of them are there.',
      'La cobertura cuenta %s cambios, y no están todos.',
    ],
    [
      'The newest update was published at another time.',
      'La actualización más reciente se publicó a otra hora.',
    ],
    ['Somebody is under nothing that readers see.', 'Alguien no firma nada que los lectores vean.'],
    ['A photo stands in nothing that readers see.', 'Una foto no está en nada que los lectores vean.'],
    ['Its changes tell of another update.', 'Sus cambios hablan de otra actualización.'],
    ['Give a day, as 2026-03-01.', 'Dé un día, como 2026-03-01.'],
    ['Write a word to look for.', 'Escriba una palabra que buscar.'],
    [
      'Write a word to look for. Small words that are in every text find nothing.',
      'Escriba una palabra que buscar. Las palabras pequeñas que están en todos los textos no encuentran nada.',
    ],
    ['There is no %s in storage.', 'No hay %s en el almacén.'],
  ],
};
