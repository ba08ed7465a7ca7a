/**
 * A JSON Schema of a settings or accounts file, with the keywords that these need. `format` names a parser of texts;
 * `description` is the meaning of the key, for the README table and the message about a missing key.
 * https://json-schema.org/draft-07/json-schema-validation
 */
export interface Schema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  /** One of these keys is required; if all are missing, the first is reported. */
  readonly anyOf?: readonly { readonly required: readonly [string] }[];
  readonly description?: string;
  readonly default?: string | number | boolean;
  /** Shown in the README instead of a default that is not a fixed value. */
  readonly defaultNote?: string;
}

type SchemaType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** The type of the values that a schema accepts. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: readonly (infer T)[] }
    ? Typed<T, S>
    : S extends { readonly type: infer T }
      ? Typed<T, S>
      : unknown;

type Typed<T, S> = T extends 'string'
  ? string
  : T extends 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'array'
        ? S extends { readonly items: infer I }
          ? readonly FromSchema<I>[]
          : readonly unknown[]
        : ObjectOf<S>;

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? { readonly [K in Required<S> & keyof P]: FromSchema<P[K]> } & {
      readonly [K in Exclude<keyof P, Required<S>>]?: FromSchema<P[K]>;
    }
  : S extends { readonly additionalProperties: infer A }
    ? Readonly<Record<string, FromSchema<A>>>
    : Readonly<Record<string, unknown>>;

type Required<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

/** A non-empty list of texts; a file may have one text instead of a list of one. */
export const texts = <const S extends Schema>(item: S, description: string) =>
  ({ type: 'array', items: { type: 'string', ...item }, minItems: 1, description }) as const;
