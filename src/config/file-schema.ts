import { issuersKey, issuersSchema } from './issuers.ts';
import type { FromSchema, Schema } from './schema.ts';
import { settings } from './settings.ts';

const scalar = { type: ['string', 'number', 'boolean'] } as const;
const setting = { type: ['string', 'number', 'boolean', 'array'], items: scalar, minItems: 0 } as const;

/** What a settings file may hold: each setting as its flag is written, or in the type of JSON that it has; and issuers. */
export const fileSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(settings.map(({ flag }) => [flag, setting])),
    [issuersKey]: issuersSchema,
  },
};

/** The content of a file that fits. */
export type FileContent = { readonly [issuersKey]?: FromSchema<typeof issuersSchema> } & Readonly<
  Record<string, unknown>
>;
