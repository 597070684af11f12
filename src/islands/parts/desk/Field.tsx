import { type ReactNode, useId } from 'react';

type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type Props = {
  label: string;
  help?: string;
  problem?: string;
  /** The label says what the heading above says to everybody else: only for those who listen. */
  isHeaded?: boolean;
  children: (control: ControlProps) => ReactNode;
};

/** A control with its label, its help, and what is wrong with it. */
export function Field({ label, help, problem, isHeaded, children }: Props) {
  const id = useId();
  const described = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <p className="field">
      <label htmlFor={id} className={isHeaded ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {problem && (
        <strong className="problem" id={`${id}-problem`}>
          {problem}
        </strong>
      )}
    </p>
  );
}
