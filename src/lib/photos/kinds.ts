/** What may be chosen as a photo; what it really is, the server finds out. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];
