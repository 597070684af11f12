/** A photo, small, to tell it from the others. What it shows is said beside it; where nothing of it can be shown, a box stands there. */
export function PhotoThumb({ picture }: { picture: string | null }) {
  return <div className="photo-thumb">{picture && <img src={picture} alt="" decoding="async" />}</div>;
}
