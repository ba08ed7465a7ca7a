/** A flag of the command line: its form, parser and meaning. */
export interface Flag {
  /** Without the two hyphens. */
  readonly flag: string;
  /** The placeholder of the value in the help text; undefined for a switch without a value. */
  readonly value: string | undefined;
  /** Text → value; throws an Error whose message continues after "`--port` ". */
  readonly read: (text: string) => unknown;
  readonly repeats?: boolean;
  /** The default, as it would be written; undefined for none. */
  readonly default?: string;
  /** Shown in the table if the default is not a fixed text. */
  readonly defaultNote?: string;
  readonly unit?: string;
  readonly meaning: string;
}

/** The parsed values of flags, or their defaults, by name; a list for a repeatable one. */
export type Given<Flags extends readonly Flag[]> = { readonly [F in Flags[number] as F['flag']]: GivenBy<F> };

type GivenBy<F extends Flag> = F extends { readonly repeats: true }
  ? readonly (ReturnType<F['read']> extends readonly (infer Item)[] ? Item : ReturnType<F['read']>)[]
  : F extends { readonly default: string }
    ? ReturnType<F['read']>
    : ReturnType<F['read']> | undefined;

/** A flag without a value, which is true if it is given. */
export const toggle = <const Name extends string>(flag: Name, meaning: string) =>
  ({ flag, value: undefined, read: () => true, meaning }) as const;
