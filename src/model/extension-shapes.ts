/** The base URL of our extensions; each has its StructureDefinition under `profiles/`. */
export const extensionBase = 'https://clinical-records.example/fhir/StructureDefinition/';

type ValueName = 'valueString' | 'valueCode' | 'valueCanonical' | 'valuePositiveInt' | 'valueUrl';

/** One value of an extension, or of a part of one. */
export interface Value {
  readonly value: ValueName;
  readonly min?: number;
  readonly max?: number;
  /** The pattern of the text, and its description. */
  readonly pattern?: RegExp;
  readonly expected?: string;
}

export interface ExtensionParts {
  readonly parts: Readonly<Record<string, (Value | ExtensionParts) & { readonly min?: number; readonly max?: number }>>;
}

export type ExtensionShape = (Value | ExtensionParts) & {
  /** Element paths on which it is allowed. */
  readonly on: readonly string[];
  readonly max: number;
  /** True if it modifies the meaning of its element, so that it is a `modifierExtension`. */
  readonly modifier?: boolean;
};

const resource = 'CapabilityStatement.rest.resource';
const rest = 'CapabilityStatement.rest';

/** Every extension of ours: its elements, cardinality and content. */
export const extensionShapes: Readonly<Record<string, ExtensionShape>> = {
  'smart-scope': {
    on: [resource],
    max: Infinity,
    value: 'valueString',
    pattern: /^(fhirUser|(patient|user|system)\/([A-Za-z]+|\*)\.(?=[cruds])c?r?u?d?s?(\?\S+)?)$/,
    expected: '`fhirUser` or a scope such as `system/*.rs`',
  },
  'access-criteria': {
    on: [resource],
    max: Infinity,
    parts: {
      context: { value: 'valueCode', min: 1, max: 1, pattern: /^(user|system)$/, expected: '`user` or `system`' },
      criteria: {
        value: 'valueString',
        min: 1,
        max: 1,
        pattern: /^[^=&\s]+=[^&\s]+(&[^=&\s]+=[^&\s]+)*$/,
        expected: 'a search such as `general-practitioner={fhirUser}`',
      },
    },
  },
  'access-link': {
    on: [resource],
    max: Infinity,
    parts: {
      compartment: { value: 'valueCode', max: 1 },
      parameter: { value: 'valueCode', min: 1, max: 1 },
    },
  },
  'indexed-only': { on: [resource], max: Infinity, value: 'valueCanonical' },
  'sort-date': { on: [resource], max: 1, value: 'valueCode' },
  'sort-index': { on: [resource], max: Infinity, value: 'valueCode' },
  'search-feature': {
    on: [resource, rest],
    max: Infinity,
    value: 'valueCode',
    pattern: /^(chain|has|filter|score|contained)$/,
    expected: '`chain`, `has`, `filter`, `score` or `contained`',
  },
  'search-explain': {
    on: [rest],
    max: Infinity,
    value: 'valueString',
    pattern: /^(patient|user|system)\/\*\.(?=[cruds])c?r?u?d?s?$/,
    expected: 'a scope on all types such as `system/*.s`',
  },
  clinician: {
    on: [rest],
    max: Infinity,
    value: 'valueCode',
    pattern: /^[A-Z][A-Za-z]+$/,
    expected: 'the name of a resource type',
  },
  'search-modifier': {
    on: [`${resource}.searchParam`, `${rest}.searchParam`, resource, rest],
    max: Infinity,
    value: 'valueCode',
    pattern: /^(text|ofType|in|not-in|type|identifier|above|below)$/,
    expected: '`text`, `ofType`, `in`, `not-in`, `type`, `identifier`, `above` or `below`',
  },
  'page-size': {
    on: [resource, rest],
    max: 1,
    parts: {
      default: { value: 'valuePositiveInt', max: 1 },
      max: { value: 'valuePositiveInt', max: 1 },
    },
  },
  attachment: {
    on: [resource],
    max: 1,
    parts: {
      path: { value: 'valueString', min: 1, max: 1 },
      maxBytes: { value: 'valuePositiveInt', min: 1, max: 1 },
      contentType: {
        min: 1,
        parts: {
          type: {
            value: 'valueCode',
            min: 1,
            max: 1,
            pattern: /^[\w.+-]+\/[\w.+-]+$/,
            expected: 'a MIME type such as `image/jpeg`',
          },
          signature: {
            value: 'valueString',
            max: 1,
            pattern: /^([0-9a-f]{2}|\.\.)+$/,
            expected: 'bytes in lower case hex, `..` for any byte, such as `ffd8ff`',
          },
        },
      },
      refusal: { value: 'valueString', max: 1 },
    },
  },
  'server-set': {
    on: [resource],
    max: Infinity,
    parts: {
      path: { value: 'valueString', min: 1, max: 1 },
      value: { value: 'valueCode', min: 1, max: 1, pattern: /^now$/, expected: '`now`' },
    },
  },
  'plain-name': {
    on: [resource],
    max: Infinity,
    parts: {
      language: {
        value: 'valueCode',
        min: 1,
        max: 1,
        pattern: /^[a-z]{2,3}$/,
        expected: 'a language such as `en`',
      },
      text: { value: 'valueString', min: 1, max: 1 },
    },
  },
  'validation-policy': {
    on: [resource, rest],
    max: 1,
    value: 'valueCode',
    pattern: /^(off|warn|enforce)$/,
    expected: '`off`, `warn` or `enforce`',
  },
  'delete-policy': {
    on: [resource, rest],
    max: 1,
    value: 'valueCode',
    pattern: /^(refuse|allow)$/,
    expected: '`refuse` or `allow`',
  },
  openapi: { on: ['CapabilityStatement.implementation'], max: 1, value: 'valueUrl' },
  'referred-by': { on: ['SearchParameter'], max: 1, value: 'valueCanonical' },
  'query-criteria': {
    on: ['OperationDefinition'],
    max: Infinity,
    parts: {
      type: { value: 'valueCode', max: 1 },
      when: {
        value: 'valueString',
        max: 1,
        pattern: /^[^=&\s]+=[^&\s]+(&[^=&\s]+=[^&\s]+)*$/,
        expected: 'parameters of the call such as `start:missing=true&end:missing=true`',
      },
      criteria: {
        value: 'valueString',
        max: 1,
        pattern: /^[^=&\s]+=[^&\s]+(&[^=&\s]+=[^&\s]+)*$/,
        expected: 'a search such as `status=active&date=ge{since}`',
      },
      latest: { value: 'valueCode', max: 1 },
      none: { value: 'valueString', max: 1 },
    },
  },
  incomplete: { on: ['StructureDefinition'], max: 1, value: 'valueString' },
  'selected-by': {
    on: ['ImplementationGuide.global'],
    max: 1,
    modifier: true,
    value: 'valueString',
    pattern: /^[A-Z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/,
    expected: 'the path of a coded element such as `Type.code`',
  },
};
