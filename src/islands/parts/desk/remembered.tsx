import { type FunctionComponent, type ReactElement, useRef } from 'react';

type Values = Record<string, unknown>;

function isShallowEqual(a: Values, b: Values): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}

/** Returns the previous object while all its values are the same. */
export function useStableProps<Kind extends Values>(value: Kind): Kind {
  const cache = useRef(value);
  if (!isShallowEqual(cache.current, value)) cache.current = value;
  return cache.current;
}

/**
 * Elements of a long list, reused while their props are the same, so that React skips them. React's `memo` is not in
 * the build, to keep the readers' scripts small.
 */
export function useMemoizedElements<Props extends Values>(
  Component: FunctionComponent<Props>,
): (key: string, props: Props) => ReactElement {
  const cache = useRef(new Map<string, { props: Props; element: ReactElement }>());
  return (key, props) => {
    const cached = cache.current.get(key);
    if (cached && isShallowEqual(cached.props, props)) return cached.element;
    const element = <Component key={key} {...props} />;
    cache.current.set(key, { props, element });
    return element;
  };
}
