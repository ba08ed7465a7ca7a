import { issuersKey, issuersSchema } from './issuers.ts';
import type { FromSchema, Schema } from './schema.ts';
import { settings } from './settings.ts';

const scalar = { type: ['string', 'number', 'boolean'] } as const;
const setting = { type: ['string', 'number', 'boolean', 'array'], items: scalar, minItems: 0 } as const;

/** The content of a settings file: each setting as text of its flag, or in its JSON type; and issuers. */
export const fileSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(settings.map(({ flag }) => [flag, setting])),
    [issuersKey]: issuersSchema,
  },
};

/** The content of a valid file. */
export type FileContent = { readonly [issuersKey]?: FromSchema<typeof issuersSchema> } & Readonly<
  Record<string, unknown>
>;
