import type { ReactNode } from 'react';
import { useId } from 'react';

type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FieldProps = {
  label: string;
  help?: string;
  problem?: string;
  /** A visible heading names the field, so the label is only for screen readers. */
  isHeaded?: boolean;
  children: (control: ControlProps) => ReactNode;
};

/** A form control with label, help and error. */
export function Field({ label, help, problem, isHeaded, children }: FieldProps) {
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
