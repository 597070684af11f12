import { type FunctionComponent, type ReactElement, useRef } from 'react';

type Values = Record<string, unknown>;

function isSame(a: Values, b: Values): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}

/** The object as it was for as long as it has the same values. */
export function useSame<Kind extends Values>(value: Kind): Kind {
  const kept = useRef(value);
  if (!isSame(kept.current, value)) kept.current = value;
  return kept.current;
}

/**
 * Elements of a long list, each the same for as long as its props are: React leaves those alone. (Its own `memo` is not
 * in the build, for the sake of readers' bytes.)
 */
export function useRemembered<Props extends Values>(
  Component: FunctionComponent<Props>,
): (key: string, props: Props) => ReactElement {
  const kept = useRef(new Map<string, { props: Props; element: ReactElement }>());
  return (key, props) => {
    const known = kept.current.get(key);
    if (known && isSame(known.props, props)) return known.element;
    const element = <Component key={key} {...props} />;
    kept.current.set(key, { props, element });
    return element;
  };
}
