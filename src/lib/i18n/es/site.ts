import type * as en from '../en/site.ts';

export const site: typeof en.site = {
  title: 'El sitio',
  notYours: 'Esto solo lo decide el dueño.',
  copies: 'Guardar copias en los dispositivos de los lectores',
  copiesHelp:
    'Las páginas que alguien ha leído se abren otra vez sin conexión, señaladas como guardadas y desde cuándo. Sin esto no se guarda nada, y un dispositivo desecha sus copias cuando vuelve a abrir una página.',
  save: 'Guardar',
  saved: 'Guardado.',
};
